#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"

namespace cairn::upsample_nearest_backward {

inline constexpr int kThreads = 256;
inline constexpr int kSmall = 3;  // positions along an axis
inline constexpr int kCells = 4;

// The conversions saturate: a product past any integer is past the axis too.
__device__ inline int round_up(float value, int) { return __float2int_ru(value); }
__device__ inline std::int64_t round_up(float value, std::int64_t) { return __float2ll_ru(value); }

// Coord is int where every size and offset in a plane fits.
template <typename Coord>
struct Axis {
  Coord in;
  Coord out;
  float scale;

  // The first position of this cell or a later one.
  __device__ Coord low(Coord cell) const {
    const Coord start = round_up(static_cast<float>(cell) * scale, Coord{});
    return start < out ? start : out;
  }
  // True when cell i has exactly the positions i * factor … i * factor + factor - 1.
  bool is_regular(std::int64_t factor) const {
    constexpr std::int64_t kExactInFloat = std::int64_t{1} << 24;
    return scale == static_cast<float>(factor) && in < kExactInFloat / factor && out >= in * factor;
  }
  // True when no cell has more positions than this. Where products are spaced closer than one, that is the
  // scale rounded up.
  bool has_few(int most) const {
    constexpr Coord kFine = 1 << 20;
    return in < kFine && out < kFine && scale <= static_cast<float>(most);
  }
  // low(), of an axis with few positions a cell: numbers below 2^23 are converted and rounded up by an
  // addition.
  __device__ Coord low_of_few(Coord cell) const {
    constexpr float kTwo23 = 8388608.0F;
    const float number = __int_as_float(static_cast<int>(cell) | __float_as_int(kTwo23)) - kTwo23;
    const int start = __float_as_int(__fadd_ru(number * scale, kTwo23)) - __float_as_int(kTwo23);
    return min(static_cast<Coord>(start), out);
  }
};

template <typename Coord>
struct Strides {
  std::int64_t n, c;
  Coord d, h, w;
};

// Threads are numbered over N, D, H, then W and C in the order of memory.
template <typename Coord>
struct SumPlan {
  using Divider = cuda::Divider<std::make_unsigned_t<Coord>>;

  const void* grad_out;
  void* grad_input;
  Axis<Coord> d;
  Axis<Coord> h;
  Axis<Coord> w;
  Coord items;
  Divider by_inner;  // packs of the innermost axis
  Divider by_w;      // cells, not packs
  Divider by_h;
  Divider by_d;
  Divider by_c;  // channels first only
  Strides<Coord> from;
  Strides<Coord> to;
};

template <typename Coord>
struct Place {
  Coord n, c, d, h, w;  // the innermost counts packs
};

template <typename Coord>
__device__ Coord thread_number() {
  return static_cast<Coord>(blockIdx.x) * kThreads + static_cast<Coord>(threadIdx.x);
}

template <bool ChannelsLast, typename Coord>
__device__ Place<Coord> place_of(const SumPlan<Coord>& plan, Coord number) {
  using Unsigned = std::make_unsigned_t<Coord>;
  auto item = static_cast<Unsigned>(number);
  const auto step = [&item](const cuda::Divider<Unsigned>& by) {
    const Unsigned quotient = by.divide(item);
    const auto rest = static_cast<Coord>(by.rest(item, quotient));
    item = quotient;
    return rest;
  };
  Place<Coord> place;
  if constexpr (ChannelsLast) {
    place.c = step(plan.by_inner);
    place.w = step(plan.by_w);
  } else {
    place.w = step(plan.by_inner);
  }
  place.h = step(plan.by_h);
  place.d = step(plan.by_d);
  if constexpr (!ChannelsLast) place.c = step(plan.by_c);
  place.n = static_cast<Coord>(item);
  return place;
}

// W is regular with this factor and its rows lie in whole packs: a thread sums `Count` neighbouring cells.
template <typename T, int Factor, typename Coord>
__global__ void __launch_bounds__(kThreads) sum_rows(const __grid_constant__ SumPlan<Coord> plan) {
  constexpr int kCount = 16 / sizeof(T);
  cuda::let_next_kernel_come();
  const auto item = thread_number<Coord>();
  if (item >= plan.items) return;
  const Place<Coord> place = place_of<false>(plan, item);
  cuda::wait_for_kernel_before();
  const T* from = static_cast<const T*>(plan.grad_out) + place.n * plan.from.n + place.c * plan.from.c +
                  place.w * kCount * Factor;
  cuda::Sum<T> sums[kCount] = {};
  const Coord last_d = plan.d.low(place.d + 1);
  const Coord last_h = plan.h.low(place.h + 1);
  for (Coord d = plan.d.low(place.d); d < last_d; ++d) {
    for (Coord h = plan.h.low(place.h); h < last_h; ++h) {
      const T* row = from + d * plan.from.d + h * plan.from.h;
      cuda::Pack<T, kCount> packs[Factor];
#pragma unroll
      for (int i = 0; i < Factor; ++i) packs[i] = cuda::load_pack<T, kCount>(row + i * kCount);
#pragma unroll
      for (int i = 0; i < kCount * Factor; ++i)
        sums[i / Factor] += cuda::widen(packs[i / kCount].at[i % kCount]);
    }
  }
  cuda::Pack<T, kCount> result;
#pragma unroll
  for (int i = 0; i < kCount; ++i) result.at[i] = cuda::narrow<T>(sums[i]);
  cuda::store_pack(static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * plan.to.c +
                       place.d * plan.to.d + place.h * plan.to.h + place.w * kCount,
                   result);
}

// Few positions along each axis, rows of neighbours: all of a cell are loaded before the first is added. A
// thread sums `kCells` cells that follow each other along H.
template <typename T, int Taps>
__global__ void __launch_bounds__(kThreads) sum_small_boxes(const __grid_constant__ SumPlan<int> plan) {
  cuda::let_next_kernel_come();
  const int item = thread_number<int>();
  if (item >= plan.items) return;
  const Place<int> place = place_of<false>(plan, item);
  const int first_d = plan.d.low_of_few(place.d);
  const int first_w = plan.w.low_of_few(place.w);
  const int depth = plan.d.low_of_few(place.d + 1) - first_d;
  const int width = plan.w.low_of_few(place.w + 1) - first_w;
  T* to = static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * plan.to.c + place.d * plan.to.d +
          place.w * plan.to.w;
  cuda::wait_for_kernel_before();
  const T* from = cuda::keep(static_cast<const T*>(plan.grad_out) + place.n * plan.from.n +
                             place.c * plan.from.c + first_d * plan.from.d + first_w);
  const int last = min(plan.h.in, (place.h + 1) * kCells);
  int first_h = plan.h.low_of_few(place.h * kCells);
#pragma unroll 1
  for (int h = place.h * kCells; h < last; ++h) {
    const int next_h = plan.h.low_of_few(h + 1);
    T values[kSmall][kSmall][Taps];
#pragma unroll
    for (int z = 0; z < kSmall; ++z) {
      if (z >= depth) break;
#pragma unroll
      for (int y = 0; y < kSmall; ++y) {
        const T* row = from + (z * plan.from.d + (first_h + y) * plan.from.h);
#pragma unroll
        for (int x = 0; x < Taps; ++x)
          values[z][y][x] = cuda::load_if((first_h + y < next_h) & (x < width), row + x);
      }
    }
    // A position that is not there adds +0.0, which changes nothing: no sum that starts from +0.0 is ever
    // -0.0.
    cuda::Sum<T> sum = 0;
#pragma unroll
    for (int z = 0; z < kSmall; ++z) {
      if (z >= depth) break;
#pragma unroll
      for (int y = 0; y < kSmall; ++y) {
#pragma unroll
        for (int x = 0; x < Taps; ++x) sum += cuda::widen(values[z][y][x]);
      }
    }
    to[h * plan.to.h] = cuda::narrow<T>(sum);
    first_h = next_h;
  }
}

// Any sizes and strides. A thread sums a cell of `Count` channels; Taps: no cell has more positions along W,
// or 0 when that is not known.
template <typename T, int Count, int Taps, bool ChannelsLast, typename Coord>
__global__ void __launch_bounds__(kThreads) sum_cells(const __grid_constant__ SumPlan<Coord> plan) {
  constexpr int kRows = 2;  // read at a time
  cuda::let_next_kernel_come();
  const auto item = thread_number<Coord>();
  if (item >= plan.items) return;
  const Place<Coord> place = place_of<ChannelsLast>(plan, item);
  const Coord first_w = plan.w.low(place.w);
  const Coord taps = plan.w.low(place.w + 1) - first_w;
  const Coord first_h = plan.h.low(place.h);
  const Coord last_h = plan.h.low(place.h + 1);
  const Coord last_d = plan.d.low(place.d + 1);
  cuda::wait_for_kernel_before();
  const T* from = static_cast<const T*>(plan.grad_out) + place.n * plan.from.n +
                  place.c * Count * plan.from.c + first_w * plan.from.w;
  cuda::Sum<T> sums[Count] = {};
  for (Coord d = plan.d.low(place.d); d < last_d; ++d) {
    const T* row = from + d * plan.from.d + first_h * plan.from.h;
    if constexpr (Taps == 0) {
      for (Coord h = first_h; h < last_h; ++h, row += plan.from.h) {
        for (Coord w = 0; w < taps; ++w) {
          const auto pack = cuda::load_pack<T, Count>(row + w * plan.from.w);
#pragma unroll
          for (int i = 0; i < Count; ++i) sums[i] += cuda::widen(pack.at[i]);
        }
      }
    } else {
      for (Coord h = first_h; h < last_h; h += kRows, row += kRows * plan.from.h) {
        cuda::Pack<T, Count> packs[kRows][Taps];
#pragma unroll
        for (int j = 0; j < kRows * Taps; ++j) {
          if (h + j / Taps < last_h && j % Taps < taps)
            packs[j / Taps][j % Taps] =
                cuda::load_pack<T, Count>(row + j / Taps * plan.from.h + j % Taps * plan.from.w);
        }
#pragma unroll
        for (int j = 0; j < kRows * Taps; ++j) {
          if (h + j / Taps >= last_h || j % Taps >= taps) continue;
#pragma unroll
          for (int i = 0; i < Count; ++i) sums[i] += cuda::widen(packs[j / Taps][j % Taps].at[i]);
        }
      }
    }
  }
  cuda::Pack<T, Count> result;
#pragma unroll
  for (int i = 0; i < Count; ++i) result.at[i] = cuda::narrow<T>(sums[i]);
  cuda::store_pack(static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * Count * plan.to.c +
                       place.d * plan.to.d + place.h * plan.to.h + place.w * plan.to.w,
                   result);
}

}  // namespace cairn::upsample_nearest_backward
