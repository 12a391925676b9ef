#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/window_axis.h"
#include "ops/kit/order_key.h"

namespace cairn::max_pool_values {

inline constexpr int kThreads = 256;

template <typename Lane>
struct PoolPlan {
  const void* self;
  void* values;
  OrderKey<Lane> keys;
  cuda::WindowAxes<std::int64_t> axes;
  cuda::Strides<std::int64_t> from;
  cuda::Strides<std::int64_t> to;
  cuda::Grid<std::uint64_t> grid;  // of what threads do
  std::uint64_t items;
  bool slices_last;
};

// One window as the definition reads, as a key.
template <typename Lane>
__device__ Lane best_of_window(const PoolPlan<Lane>& plan, std::int64_t n, std::int64_t c, std::int64_t d,
                               std::int64_t h, std::int64_t w) {
  const Lane* plane = plan.from.slice_of(static_cast<const Lane*>(plan.self), n, c);
  const auto taps_d = plan.axes.d.taps(d);
  const auto taps_h = plan.axes.h.taps(h);
  const auto taps_w = plan.axes.w.taps(w);
  Lane best = OrderKey<Lane>::kLeast;
  for (std::int64_t a = taps_d.first; a < taps_d.end; ++a) {
    for (std::int64_t b = taps_h.first; b < taps_h.end; ++b) {
      const Lane* row = plane + plan.from.place(taps_d.start + a * plan.axes.d.dilation,
                                                taps_h.start + b * plan.axes.h.dilation, 0);
      const std::int64_t step = plan.axes.w.dilation * plan.from.w;
      const Lane* at = row + taps_w.start * plan.from.w + taps_w.first * step;
      for (std::int64_t e = taps_w.first; e < taps_w.end; ++e, at += step) {
        const Lane tap = plan.keys.key(*at);
        if (plan.keys.floating ? plan.keys.takes_over(tap, best) : tap > best) best = tap;
      }
    }
  }
  return best;
}

// Whether the maximum of keys, found in any order, may be another than the definition's: where NaNs, or zeros
// of both signs, compete.
template <typename Lane>
__device__ bool is_doubtful(const PoolPlan<Lane>& plan, Lane best, bool minus_zero) {
  return plan.keys.floating && (plan.keys.is_nan(best) || (minus_zero && best == plan.keys.zero()));
}

template <typename Lane>
__device__ Lane larger(Lane a, Lane b) {
  return a > b ? a : b;
}

}  // namespace cairn::max_pool_values
