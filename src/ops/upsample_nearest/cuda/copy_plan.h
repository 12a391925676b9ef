#pragma once

#include <cstdint>

#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/upsample_nearest/cuda/copies.cuh"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {

inline constexpr int kPackBytes = 16;

// Which axis a thread steps along, and which one neighbouring threads lie on.
enum class Order { kRows, kChannels };

inline bool is_empty(const Plan& plan) { return plan.n * plan.c * plan.out.count() == 0; }

inline bool is_narrow(const Plan& plan) {
  return cuda::are_narrow({plan.c}) && cuda::is_narrow(plan.self, plan.in) &&
         cuda::is_narrow(plan.values, plan.out);
}

// A plane is one row: threads step along the channels instead, and find out once what goes where in a row.
inline bool has_rows_only(const Plan& plan) {
  return plan.in.d == 1 && plan.out.d == 1 && plan.in.h == 1 && plan.out.h == 1 &&
         cuda::are_narrow({plan.self.c, plan.values.c});
}

// `unit` elements of a lane are moved as one; they are neighbours in both tensors.
template <typename Coord>
CopyPlan<Coord> copy_plan(const Plan& plan, Order order, std::int64_t unit, int steps) {
  const auto axis = [unit, shift = plan.shift](std::int64_t in, std::int64_t out, float scale,
                                               std::int64_t from, std::int64_t to) {
    return CopyAxis<Coord>{cuda::scale_axis<Coord>(in, out, scale, shift), static_cast<Coord>(from / unit),
                           static_cast<Coord>(to / unit)};
  };
  const View5& from = plan.self;
  const View5& to = plan.values;
  const CopyAxis<Coord> d = axis(plan.in.d, plan.out.d, plan.scale_d, from.d, to.d);
  const CopyAxis<Coord> h = axis(plan.in.h, plan.out.h, plan.scale_h, from.h, to.h);
  const CopyAxis<Coord> w = axis(plan.in.w, plan.out.w, plan.scale_w, from.w, to.w);
  CopyPlan<Coord> result{};
  result.self = plan.self.data;
  result.values = plan.values.data;
  result.from_n = from.n / unit;
  result.to_n = to.n / unit;
  std::int64_t slices = 1;
  if (order == Order::kRows && has_rows_only(plan)) {
    result.outer = axis(1, 1, 0.0F, 0, 0);
    result.middle = axis(1, 1, 0.0F, 0, 0);
    result.step = axis(plan.c, plan.c, 0.0F, from.c, to.c);
    result.lane = w;
  } else if (order == Order::kRows) {
    slices = plan.c;
    result.from_slice = from.c / unit;
    result.to_slice = to.c / unit;
    result.outer = axis(1, 1, 0.0F, 0, 0);
    result.middle = d;
    result.step = h;
    result.lane = w;
  } else {
    result.outer = d;
    result.middle = h;
    result.step = w;
    result.lane = axis(plan.c / unit, plan.c / unit, 0.0F, unit, unit);
  }
  using Divider = typename CopyPlan<Coord>::Divider;
  result.by_lanes = Divider(result.lane.out);
  result.by_steps = Divider(cuda::divide_up(result.step.out, steps));
  result.by_middle = Divider(result.middle.out);
  result.by_outer = Divider(result.outer.out);
  result.by_slices = Divider(slices);
  return result;
}

template <typename Coord>
std::int64_t items_of(const CopyPlan<Coord>& plan, std::int64_t n) {
  return n * static_cast<std::int64_t>(plan.by_slices.divisor()) *
         static_cast<std::int64_t>(plan.by_outer.divisor()) *
         static_cast<std::int64_t>(plan.by_middle.divisor()) *
         static_cast<std::int64_t>(plan.by_steps.divisor()) *
         static_cast<std::int64_t>(plan.by_lanes.divisor());
}

// Whether ints can number the threads.
inline bool are_few(std::int64_t items) { return items < INT32_MAX - kThreads; }

template <typename Coord>
cudaError_t start_copies(void (*kernel)(CopyPlan<Coord>), CopyPlan<Coord> plan, std::int64_t n,
                         const cuda::CudaLaunch& launch) {
  const std::int64_t items = items_of(plan, n);
  plan.items = static_cast<Coord>(items);
  return cuda::start_kernel(kernel, plan, cuda::divide_up(items, kThreads), kThreads, 0, launch.stream);
}

}  // namespace cairn::upsample_nearest
