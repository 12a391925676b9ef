#pragma once

#include "ops/kit/cuda/max_pooling/window.cuh"

// Channels side by side: a thread looks at one window of a pack of channels.
namespace cairn::max_pool {

using namespace max_pooling;

template <typename Format>
struct ChannelPool {
  static constexpr int kWords = kChannels / Format::kLanes;
  using Bits = typename Format::Bits;

  const PoolPlan<int>& plan;
  cuda::WindowAxis<int>::Taps d, h, w;
  Best best[kWords];
  std::uint32_t seen;

  __device__ void look_at(Best (&slab)[kWords], const cuda::Pack<Bits, kChannels>& tap,
                          std::uint32_t offset) {
    std::uint32_t words[kWords];
    memcpy(words, &tap, sizeof(words));
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      seen = Format::suspect(seen, words[i]);
      take<Format>(slab[i], {words[i], offset, 0});
    }
  }

  template <int Kernel>
  __device__ void look_at_row(Best (&slab)[kWords], const Bits* row, int b) {
    if constexpr (Kernel > 0) {
      cuda::Pack<Bits, kChannels> tap[Kernel];
#pragma unroll
      for (int e = 0; e < Kernel; ++e)
        tap[e] = cuda::load_pack_or<Bits, kChannels>(Format::kLowest, (e >= w.first) & (e < w.end),
                                                     row + e * plan.from.w);
#pragma unroll
      for (int e = 0; e < Kernel; ++e) look_at(slab, tap[e], offset_of<Format>(plan, b, e));
    } else {
      for (int e = w.first; e < w.end; ++e)
        look_at(slab, cuda::load_pack<Bits, kChannels>(row + e * plan.from.w), offset_of<Format>(plan, b, e));
    }
  }

  // `channels` is where the pack's channels have cell 0. Kernel: taps along W, or 0 for any number.
  template <int Kernel>
  __device__ void look(const Bits* channels) {
    constexpr Best kNothing{Format::kLowest * Format::kEach, 0, 0};
    seen = 0;
#pragma unroll
    for (Best& one : best) one = kNothing;
    for (int a = d.first; a < d.end; ++a) {
      Best slab[kWords];
#pragma unroll
      for (Best& one : slab) one = kNothing;
      for (int b = h.first; b < h.end; ++b) {
        const int row = (d.start + a) * plan.from.d + (h.start + b) * plan.from.h + w.start * plan.from.w;
        look_at_row<Kernel>(slab, channels + row, b);
      }
#pragma unroll
      for (int i = 0; i < kWords; ++i) {
        take_slab<Format>(plan, best[i], slab[i], a);
      }
    }
  }

  // False where something is not a finite number, or no tap beats what is not there.
  __device__ bool is_plain() const {
    std::uint32_t smallest = best[0].value;
#pragma unroll
    for (const Best& one : best) smallest = Format::smallest(smallest, one.value);
    return !Format::is_nan(seen) && Format::all_larger(smallest, Format::kLowest * Format::kEach);
  }
};

template <typename Format, int Kernel>
__global__ void __launch_bounds__(kThreads, 4) pool_channels(const __grid_constant__ PoolPlan<int> plan) {
  using Bits = typename Format::Bits;
  cuda::let_next_kernel_come();
  const int item = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (item >= plan.items) return;
  const cuda::Place<int> place = plan.place_of(item, true);
  const std::int64_t channel = place.slice * kChannels;
  ChannelPool<Format> pool{plan, plan.axes.d.taps(place.d), plan.axes.h.taps(place.h),
                           plan.axes.w.taps(place.w)};
  cuda::wait_for_kernel_before();
  pool.template look<Kernel>(
      cuda::keep(static_cast<const Bits*>(plan.self) + plan.from.slice(place.n, channel)));
  if (!pool.is_plain()) {
    for (int i = 0; i < kChannels; ++i)
      pool_tile_slowly<Format>(plan, place.n, channel + i, int3{place.d, place.h, place.w}, int3{1, 1, 1});
    return;
  }
  std::uint32_t words[ChannelPool<Format>::kWords];
  int index[kChannels];
  const int first = (pool.d.start * plan.axes.h.in + pool.h.start) * plan.axes.w.in + pool.w.start;
#pragma unroll
  for (int i = 0; i < kChannels; ++i) {
    const Best& best = pool.best[i / Format::kLanes];
    words[i / Format::kLanes] = best.value;
    index[i] = index_of<Format>(plan, best, i % Format::kLanes, first);
  }
  cuda::Pack<Bits, kChannels> values;
  memcpy(&values, words, sizeof(values));
  const std::int64_t at = plan.to.place(place.d, place.h, place.w);
  cuda::store_pack(static_cast<Bits*>(plan.values) + plan.to.slice(place.n, channel) + at, values);
  write_indices<true>(plan, plan.index_to.slice(place.n, channel) + at, index, kChannels);
}

}  // namespace cairn::max_pool
