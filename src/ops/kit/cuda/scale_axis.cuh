#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace cairn::cuda {

// The conversions saturate: a product past any integer is past the axis too.
__device__ inline int round_down(float value, int) { return __float2int_rd(value); }
__device__ inline std::int64_t round_down(float value, std::int64_t) { return __float2ll_rd(value); }
__device__ inline int round_up(float value, int) { return __float2int_ru(value); }
__device__ inline std::int64_t round_up(float value, std::int64_t) { return __float2ll_ru(value); }

// One axis that is resized: `in` cells become `out` positions. Coord is int where every size and offset in a
// plane fits.
template <typename Coord>
struct ScaleAxis {
  static constexpr std::int64_t kExactInFloat = std::int64_t{1} << 24;

  Coord in;
  Coord out;
  float scale;  // forward: cells a position, or 0 for an axis that is not resized; backward: positions a cell
  float shift;  // 0.5: positions and cells are taken by their centres

  // Forward: the cell of this position.
  __device__ Coord source(Coord position) const {
    if (scale == 0.0F) return position;
    const Coord place = round_down((static_cast<float>(position) + shift) * scale, Coord{});
    return place < in ? place : in - 1;
  }
  // Forward: true when each cell has exactly `factor` positions, in order.
  bool repeats(std::int64_t factor) const {
    return scale == 1.0F / static_cast<float>(factor) && out < exact_places() && out <= in * factor;
  }

  // Backward: the first position of this cell or a later one.
  __device__ Coord low(Coord cell) const {
    const float product = static_cast<float>(cell) * scale;
    const Coord start = round_up(product - shift, Coord{});  // compiled with -fmad=false
    return start < out ? start : out;
  }
  // Backward: true when cell i has exactly the positions i * factor … i * factor + factor - 1.
  bool gathers(std::int64_t factor) const {
    return scale == static_cast<float>(factor) && in < exact_places() / factor && out >= in * factor;
  }
  // Backward: true when no cell has more positions than this. Where products are spaced closer than one, that
  // is the scale rounded up.
  bool has_few(int most) const {
    constexpr Coord kFine = 1 << 20;
    return in < kFine && out < kFine && scale <= static_cast<float>(most);
  }
  // low(), of an axis with few positions a cell: numbers below 2^23 are converted and rounded up by an
  // addition. Of products this small the shift takes away what is exact, and of the first one too much.
  __device__ Coord low_of_few(Coord cell) const {
    constexpr float kTwo23 = 8388608.0F;
    const float number = __int_as_float(static_cast<int>(cell) | __float_as_int(kTwo23)) - kTwo23;
    const int start = __float_as_int(__fadd_ru(number * scale, kTwo23 - shift)) - __float_as_int(kTwo23);
    return min(static_cast<Coord>(max(start, 0)), out);
  }

 private:
  // Whole numbers up to this, and shifted ones below it, are floats.
  std::int64_t exact_places() const { return shift == 0.0F ? kExactInFloat : kExactInFloat / 2; }
};

template <typename Coord>
ScaleAxis<Coord> scale_axis(std::int64_t in, std::int64_t out, float scale, float shift) {
  return {static_cast<Coord>(in), static_cast<Coord>(out), scale, shift};
}

}  // namespace cairn::cuda
