#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/scale_axis.cuh"
#include "ops/kit/cuda/strides.h"

namespace cairn::upsample_nearest_backward {

inline constexpr int kThreads = 256;
inline constexpr int kSmall = 3;  // positions along an axis

// Threads are numbered over N, D, H, then W and C in the order of memory.
template <typename Coord>
struct SumPlan {
  using Divider = cuda::Divider<std::make_unsigned_t<Coord>>;

  const void* grad_out;
  void* grad_input;
  cuda::ScaleAxis<Coord> d;
  cuda::ScaleAxis<Coord> h;
  cuda::ScaleAxis<Coord> w;
  Coord items;
  Divider by_inner;  // packs of the innermost axis
  Divider by_w;      // cells, not packs
  Divider by_h;
  Divider by_d;
  Divider by_c;  // channels first only
  cuda::Strides<Coord> from;
  cuda::Strides<Coord> to;
};

template <typename Coord>
struct Place {
  Coord n, c, d, h, w;  // the innermost counts packs

  template <bool ChannelsLast>
  __device__ static Place of(const SumPlan<Coord>& plan, Coord item) {
    using Unsigned = std::make_unsigned_t<Coord>;
    cuda::Digits<Unsigned> digits{static_cast<Unsigned>(item)};
    const auto next = [&digits](const cuda::Divider<Unsigned>& by) {
      return static_cast<Coord>(digits.next(by));
    };
    Place place;
    if constexpr (ChannelsLast) {
      place.c = next(plan.by_inner);
      place.w = next(plan.by_w);
    } else {
      place.w = next(plan.by_inner);
    }
    place.h = next(plan.by_h);
    place.d = next(plan.by_d);
    if constexpr (!ChannelsLast) place.c = next(plan.by_c);
    place.n = static_cast<Coord>(digits.left);
    return place;
  }
};

template <typename Coord>
__device__ Coord thread_number() {
  return static_cast<Coord>(blockIdx.x) * kThreads + static_cast<Coord>(threadIdx.x);
}

}  // namespace cairn::upsample_nearest_backward
