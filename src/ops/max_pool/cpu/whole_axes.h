#pragma once

#include <cstdint>

#include "ops/kit/window_axis.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// Whether all of W is one row of taps in every window, behind which the next row's follow in memory.
inline bool has_whole_rows(const Plan& plan) {
  const WindowAxis w = WindowAxes(plan).w;
  return w.out == 1 && w.dilation == 1 && plan.stride.h != 0 && w.taps(0).size() == w.in &&
         plan.dilation.h == 1 && (plan.in.w == 1 || plan.self.w == 1) &&
         (plan.in.h == 1 || plan.self.h == plan.in.w);
}

// Windows that have whole rows have them in one run: H and W become one axis, and D takes the place of H.
// Global pooling is one run a plane. No position in a plane changes.
inline Plan with_whole_rows_merged(Plan plan) {
  for (int axis = 0; axis < 2 && has_whole_rows(plan); ++axis) {
    const std::int64_t row = plan.in.w;
    plan.in = {1, plan.in.d, plan.in.h * row};
    plan.out = {1, plan.out.d, plan.out.h};
    plan.kernel = {1, plan.kernel.d, plan.kernel.h * row};
    plan.stride = {1, plan.stride.d, plan.stride.h * row};
    plan.padding = {0, plan.padding.d, plan.padding.h * row};
    plan.dilation = {1, plan.dilation.d, 1};
    for (View5* view : {&plan.self, &plan.values, &plan.indices}) {
      view->w = view == &plan.self ? 1 : view->h;
      view->h = view->d;
      view->d = 0;
    }
  }
  return plan;
}

}  // namespace cairn::max_pool
