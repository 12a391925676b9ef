#pragma once

#include <cstdint>
#include <vector>

#include "ops/kit/window_axis.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// The taps of every window of a plane, as flat positions; the same in each plane.
struct PlaneTaps {
  std::vector<std::int32_t> positions;  // window after window, ascending
  std::vector<std::int32_t> ends;       // where those of each window end

  explicit PlaneTaps(const Plan& plan) {
    const WindowAxes axes(plan);
    for (std::int64_t d = 0; d < plan.out.d; ++d) {
      for (std::int64_t h = 0; h < plan.out.h; ++h) {
        for (std::int64_t w = 0; w < plan.out.w; ++w) {
          append(plan, axes, {d, h, w});
          ends.push_back(static_cast<std::int32_t>(positions.size()));
        }
      }
    }
  }

 private:
  void append(const Plan& plan, const WindowAxes& axes, const Size3& window) {
    const Span taps_d = axes.d.taps(window.d);
    const Span taps_h = axes.h.taps(window.h);
    const Span taps_w = axes.w.taps(window.w);
    for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
      for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j) {
        const std::int64_t row = axes.d.cell(window.d, i) * plan.in.h + axes.h.cell(window.h, j);
        for (std::int64_t k = taps_w.begin; k < taps_w.end; ++k) {
          positions.push_back(static_cast<std::int32_t>(row * plan.in.w + axes.w.cell(window.w, k)));
        }
      }
    }
  }
};

}  // namespace cairn::max_pool
