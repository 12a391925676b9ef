#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"

namespace cairn::max_pool {

inline constexpr int kThreads = 256;
inline constexpr int kChannels = 4;  // that a thread takes where they lie side by side

// Values are compared as words: one float, or two halves side by side. kLowest, the most negative finite
// number, stands for what is not there. suspect() keeps a NaN once it has met one, or an infinity: a product
// with 0 costs less than looking at the bits.
struct Float32 {
  using Bits = std::uint32_t;
  static constexpr int kLanes = 1;
  static constexpr Bits kMinusInfinity = 0xff800000U;
  static constexpr Bits kLowest = 0xff7fffffU;
  static constexpr std::uint32_t kEach = 1;  // the factor that puts a number into every lane
  __device__ static float to_float(Bits bits) { return __uint_as_float(bits); }
  __device__ static std::uint32_t suspect(std::uint32_t seen, std::uint32_t word) {
    return __float_as_uint(__fmaf_rn(to_float(word), 0.0F, to_float(seen)));
  }
  __device__ static std::uint32_t smallest(std::uint32_t a, std::uint32_t b) {
    return __float_as_uint(fminf(to_float(a), to_float(b)));
  }
  __device__ static bool is_nan(std::uint32_t word) { return isnan(to_float(word)); }
  __device__ static bool all_larger(std::uint32_t a, std::uint32_t b) { return to_float(a) > to_float(b); }
};

template <typename Half, typename Pair, std::uint16_t MinusInfinity>
struct Halves {
  using Bits = std::uint16_t;
  static constexpr int kLanes = 2;
  static constexpr Bits kMinusInfinity = MinusInfinity;
  static constexpr Bits kLowest = MinusInfinity - 1;
  static constexpr std::uint32_t kEach = 0x10001U;
  __device__ static Pair pair(std::uint32_t word) {
    Pair result;
    memcpy(&result, &word, sizeof(result));
    return result;
  }
  __device__ static std::uint32_t word(const Pair& from) {
    std::uint32_t result;
    memcpy(&result, &from, sizeof(result));
    return result;
  }
  __device__ static float to_float(Bits bits) {
    Half half;
    memcpy(&half, &bits, sizeof(half));
    return cuda::widen(half);
  }
  // All bits of a half are set where `a` is larger.
  __device__ static std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
    return __hgt2_mask(pair(a), pair(b));
  }
  __device__ static std::uint32_t suspect(std::uint32_t seen, std::uint32_t from) {
    return word(__hfma2(pair(from), pair(0), pair(seen)));
  }
  __device__ static std::uint32_t smallest(std::uint32_t a, std::uint32_t b) {
    return word(__hmin2(pair(a), pair(b)));
  }
  __device__ static bool is_nan(std::uint32_t from) { return __hneu2_mask(pair(from), pair(from)) != 0; }
  __device__ static bool all_larger(std::uint32_t a, std::uint32_t b) { return larger(a, b) == ~0U; }
};
using Float16 = Halves<__half, __half2, 0xfc00>;
using Bfloat16 = Halves<__nv_bfloat16, __nv_bfloat162, 0xff80>;

template <typename Coord>
struct PoolAxis {
  Coord in, out, kernel, stride, padding, dilation;

  struct Taps {
    Coord start;  // of tap 0
    Coord first;  // the taps in the plane
    Coord end;
  };
  __device__ Taps taps(Coord window) const {
    const Coord start = window * stride - padding;
    const Coord first = start >= 0 ? 0 : dilation == 1 ? -start : (-start - 1) / dilation + 1;
    const Coord room = start >= in ? 0 : dilation == 1 ? in - start : (in - 1 - start) / dilation + 1;
    return {start, first, room < kernel ? room : kernel};
  }
};

template <typename Coord>
struct Strides {
  std::int64_t n, c;
  Coord d, h, w;

  __device__ std::int64_t slice(std::int64_t at_n, std::int64_t at_c) const { return at_n * n + at_c * c; }
  __device__ std::int64_t place(Coord at_d, Coord at_h, Coord at_w) const {
    return static_cast<std::int64_t>(at_d) * d + static_cast<std::int64_t>(at_h) * h +
           static_cast<std::int64_t>(at_w) * w;
  }
};

// Coord is int where every size and offset in a plane fits. Threads are numbered over N, slices, then tiles
// of windows; or with the slices last. A slice is a channel or a pack of channels.
template <typename Coord>
struct PoolPlan {
  using Divider = cuda::Divider<std::make_unsigned_t<Coord>>;
  const void* self;
  void* values;
  void* indices;
  bool wide_indices;  // 64 bits
  PoolAxis<Coord> d, h, w;
  Strides<Coord> from;
  Strides<Coord> to;  // of values
  Strides<Coord> index_to;
  Coord items;
  Divider by_d, by_h, by_w, by_slices;
  int slab_step;  // from a slab to the next in an index
  int march;      // windows along D that a thread takes one after the other
  bool slices_last;
};

template <typename Coord>
struct Place {
  std::int64_t n;
  std::int64_t slice;
  Coord d, h, w;
};

template <typename Coord>
__device__ Place<Coord> place_of(const PoolPlan<Coord>& plan, Coord item, bool slices_last) {
  using Unsigned = std::make_unsigned_t<Coord>;
  auto left = static_cast<Unsigned>(item);
  const auto next = [&left](const typename PoolPlan<Coord>::Divider& by) {
    const Unsigned quotient = by.divide(left);
    const Unsigned rest = by.rest(left, quotient);
    left = quotient;
    return static_cast<Coord>(rest);
  };
  Place<Coord> place;
  if (slices_last) place.slice = next(plan.by_slices);
  place.w = next(plan.by_w);
  place.h = next(plan.by_h);
  place.d = next(plan.by_d);
  if (!slices_last) place.slice = next(plan.by_slices);
  place.n = left;
  return place;
}

// One window as the definition reads, from anywhere to anywhere.
template <typename Format, typename Coord>
__device__ void pool_window(const PoolPlan<Coord>& plan, std::int64_t n, std::int64_t c, Coord d, Coord h,
                            Coord w) {
  using Bits = typename Format::Bits;
  const Bits* plane = static_cast<const Bits*>(plan.self) + plan.from.slice(n, c);
  const auto taps_d = plan.d.taps(d);
  const auto taps_h = plan.h.taps(h);
  const auto taps_w = plan.w.taps(w);
  Bits value = Format::kMinusInfinity;
  float best = Format::to_float(value);
  std::int64_t index = -1;
  for (Coord a = taps_d.first; a < taps_d.end; ++a) {
    const Coord at_d = taps_d.start + a * plan.d.dilation;
    for (Coord b = taps_h.first; b < taps_h.end; ++b) {
      const Coord at_h = taps_h.start + b * plan.h.dilation;
      const Bits* row = plane + plan.from.place(at_d, at_h, 0);
      const std::int64_t row_index = (static_cast<std::int64_t>(at_d) * plan.h.in + at_h) * plan.w.in;
      for (Coord e = taps_w.first; e < taps_w.end; ++e) {
        const Coord at_w = taps_w.start + e * plan.w.dilation;
        const Bits bits = row[static_cast<std::int64_t>(at_w) * plan.from.w];
        const float tap = Format::to_float(bits);
        if ((index >= 0) & !(tap > best) & !isnan(tap)) continue;
        value = bits;
        best = tap;
        index = row_index + at_w;
      }
    }
  }
  static_cast<Bits*>(plan.values)[plan.to.slice(n, c) + plan.to.place(d, h, w)] = value;
  const std::int64_t at = plan.index_to.slice(n, c) + plan.index_to.place(d, h, w);
  if (plan.wide_indices) {
    static_cast<std::int64_t*>(plan.indices)[at] = index;
  } else {
    static_cast<std::int32_t*>(plan.indices)[at] = static_cast<std::int32_t>(index);
  }
}

// The windows of a tile where something needs the definition's own words.
template <typename Format>
__device__ __noinline__ void pool_tile_slowly(const PoolPlan<int>& plan, std::int64_t n, std::int64_t c,
                                              int3 first, int3 count) {
  for (int d = first.x; d < min(first.x + count.x, plan.d.out); ++d)
    for (int h = first.y; h < min(first.y + count.y, plan.h.out); ++h)
      for (int w = first.z; w < min(first.z + count.z, plan.w.out); ++w)
        pool_window<Format>(plan, n, c, d, h, w);
}

template <typename Format, typename Coord>
__global__ void __launch_bounds__(kThreads) pool_windows(const __grid_constant__ PoolPlan<Coord> plan) {
  cuda::let_next_kernel_come();
  const Coord item = static_cast<Coord>(blockIdx.x) * kThreads + static_cast<Coord>(threadIdx.x);
  if (item >= plan.items) return;
  const Place<Coord> place = place_of(plan, item, plan.slices_last);
  cuda::wait_for_kernel_before();
  pool_window<Format>(plan, place.n, place.slice, place.d, place.h, place.w);
}

// The best so far of the windows of a word, and which tap it is: its offset in the plane from the window's
// first one. Halves have the slab apart, to have room for both.
struct Best {
  std::uint32_t value;
  std::uint32_t offset;
  std::uint32_t slab;
};

template <typename Format>
__device__ std::uint32_t offset_of(const PoolPlan<int>& plan, int row, int tap) {
  return static_cast<std::uint32_t>(row * plan.w.in + tap) * Format::kEach;
}

__device__ inline std::uint32_t select(std::uint32_t mask, std::uint32_t a, std::uint32_t b) {
  return (a & mask) | (b & ~mask);
}

// A tap of the same slab that comes later takes over only if it is larger.
template <typename Format>
__device__ void take(Best& best, const Best& later) {
  if constexpr (Format::kLanes == 1) {
    const bool larger = Format::to_float(later.value) > Format::to_float(best.value);
    best.value = larger ? later.value : best.value;
    best.offset = larger ? later.offset : best.offset;
  } else {
    const std::uint32_t mask = Format::larger(later.value, best.value);
    best.value = select(mask, later.value, best.value);
    best.offset = select(mask, later.offset, best.offset);
  }
}

// The same for the best of a later slab.
template <typename Format>
__device__ void take_slab(const PoolPlan<int>& plan, Best& best, const Best& later, int slab) {
  if constexpr (Format::kLanes == 1) {
    take<Format>(best, {later.value, later.offset + static_cast<std::uint32_t>(slab * plan.slab_step), 0});
  } else {
    const std::uint32_t mask = Format::larger(later.value, best.value);
    best.value = select(mask, later.value, best.value);
    best.offset = select(mask, later.offset, best.offset);
    best.slab = select(mask, static_cast<std::uint32_t>(slab) * Format::kEach, best.slab);
  }
}

// The index of a lane's best; `first` is that of the window's first tap.
template <typename Format>
__device__ int index_of(const PoolPlan<int>& plan, const Best& best, int lane, int first) {
  if constexpr (Format::kLanes == 1) {
    return first + static_cast<int>(best.offset);
  } else {
    const auto half = [lane](std::uint32_t word) {
      return static_cast<int>(lane == 0 ? word & 0xffffU : word >> 16);
    };
    return first + half(best.offset) + half(best.slab) * plan.slab_step;
  }
}

// Whole: all of them, in a pack.
template <bool Whole, int Count>
__device__ void write_indices(const PoolPlan<int>& plan, std::int64_t at, const int (&index)[Count],
                              int count) {
  const auto write = [&](auto* to) {
    using Index = std::remove_reference_t<decltype(*to)>;
    if constexpr (Whole) {
      cuda::Pack<Index, Count> pack;
#pragma unroll
      for (int i = 0; i < Count; ++i) pack.at[i] = index[i];
      cuda::store_pack(to, pack);
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i)
        if (i < count) to[i] = index[i];
    }
  };
  if (plan.wide_indices) {
    write(static_cast<std::int64_t*>(plan.indices) + at);
  } else {
    write(static_cast<std::int32_t*>(plan.indices) + at);
  }
}

}  // namespace cairn::max_pool
