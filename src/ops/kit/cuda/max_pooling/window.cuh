#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/maximum.cuh"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/window_axis.h"

namespace cairn::max_pooling {

using cuda::Best;
using cuda::take;

inline constexpr int kThreads = 256;
inline constexpr int kChannels = 4;  // that a thread takes where they lie side by side

// Coord is int where every size and offset in a plane fits.
template <typename Coord>
struct PoolPlan {
  using Unsigned = std::make_unsigned_t<Coord>;
  const void* self;
  void* values;
  void* indices;      // null if nobody asks
  bool wide_indices;  // 64 bits
  bool any_byte;      // indices, of 32 bits then, begin at an odd byte
  cuda::WindowAxes<Coord> axes;
  cuda::Strides<Coord> from;
  cuda::Strides<Coord> to;  // of values
  cuda::Strides<Coord> index_to;
  Coord items;
  cuda::Grid<Unsigned> grid;  // of tiles of windows
  int slab_step;              // from a slab to the next in an index
  int march;                  // windows along D that a thread takes one after the other
  bool slices_last;

  __device__ cuda::Place<Coord> place_of(Coord item, bool last) const {
    return grid.template place_of<Coord>(static_cast<Unsigned>(item), last);
  }
};

// One window as the definition reads, from anywhere to anywhere.
template <typename Format, typename Coord>
__device__ void pool_window(const PoolPlan<Coord>& plan, std::int64_t n, std::int64_t c, Coord d, Coord h,
                            Coord w) {
  using Bits = typename Format::Bits;
  const Bits* plane = static_cast<const Bits*>(plan.self) + plan.from.slice(n, c);
  const auto taps_d = plan.axes.d.taps(d);
  const auto taps_h = plan.axes.h.taps(h);
  const auto taps_w = plan.axes.w.taps(w);
  Bits value = Format::kMinusInfinity;
  auto best = Format::to_float(value);
  std::int64_t index = -1;
  for (Coord a = taps_d.first; a < taps_d.end; ++a) {
    const Coord at_d = taps_d.start + a * plan.axes.d.dilation;
    for (Coord b = taps_h.first; b < taps_h.end; ++b) {
      const Coord at_h = taps_h.start + b * plan.axes.h.dilation;
      const Bits* row = plane + plan.from.place(at_d, at_h, 0);
      const std::int64_t row_index =
          (static_cast<std::int64_t>(at_d) * plan.axes.h.in + at_h) * plan.axes.w.in;
      for (Coord e = taps_w.first; e < taps_w.end; ++e) {
        const Coord at_w = taps_w.start + e * plan.axes.w.dilation;
        const Bits bits = row[static_cast<std::int64_t>(at_w) * plan.from.w];
        const auto tap = Format::to_float(bits);
        if ((index >= 0) & !(tap > best) & !isnan(tap)) continue;
        value = bits;
        best = tap;
        index = row_index + at_w;
      }
    }
  }
  static_cast<Bits*>(plan.values)[plan.to.slice(n, c) + plan.to.place(d, h, w)] = value;
  const std::int64_t at = plan.index_to.slice(n, c) + plan.index_to.place(d, h, w);
  if (plan.indices == nullptr) return;
  if (plan.wide_indices) {
    static_cast<std::int64_t*>(plan.indices)[at] = index;
  } else if (plan.any_byte) {
    for (int i = 0; i < 4; ++i)
      static_cast<std::uint8_t*>(plan.indices)[at * 4 + i] = static_cast<std::uint8_t>(index >> 8 * i);
  } else {
    static_cast<std::int32_t*>(plan.indices)[at] = static_cast<std::int32_t>(index);
  }
}

// The windows of a tile where something needs the definition's own words.
template <typename Format>
__device__ __noinline__ void pool_tile_slowly(const PoolPlan<int>& plan, std::int64_t n, std::int64_t c,
                                              int3 first, int3 count) {
  for (int d = first.x; d < min(first.x + count.x, plan.axes.d.out); ++d)
    for (int h = first.y; h < min(first.y + count.y, plan.axes.h.out); ++h)
      for (int w = first.z; w < min(first.z + count.z, plan.axes.w.out); ++w)
        pool_window<Format>(plan, n, c, d, h, w);
}

template <typename Format, typename Coord>
__global__ void __launch_bounds__(kThreads) pool_windows(const __grid_constant__ PoolPlan<Coord> plan) {
  cuda::let_next_kernel_come();
  const Coord item = static_cast<Coord>(blockIdx.x) * kThreads + static_cast<Coord>(threadIdx.x);
  if (item >= plan.items) return;
  const cuda::Place<Coord> place = plan.place_of(item, plan.slices_last);
  cuda::wait_for_kernel_before();
  pool_window<Format>(plan, place.n, place.slice, place.d, place.h, place.w);
}

template <typename Format>
__device__ std::uint32_t offset_of(const PoolPlan<int>& plan, int row, int tap) {
  return static_cast<std::uint32_t>(row * plan.axes.w.in + tap) * Format::kEach;
}

// take() for the best of a later slab.
template <typename Format>
__device__ void take_slab(const PoolPlan<int>& plan, Best& best, const Best& later, int slab) {
  if constexpr (Format::kLanes == 1) {
    take<Format>(best, {later.value, later.offset + static_cast<std::uint32_t>(slab * plan.slab_step), 0});
  } else {
    const std::uint32_t mask = Format::larger(later.value, best.value);
    best.value = cuda::select(mask, later.value, best.value);
    best.offset = cuda::select(mask, later.offset, best.offset);
    best.slab = cuda::select(mask, static_cast<std::uint32_t>(slab) * Format::kEach, best.slab);
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

}  // namespace cairn::max_pooling
