#pragma once

#include <cstddef>
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
    positions.resize(taps_along(axes.d) * taps_along(axes.h) * taps_along(axes.w));
    ends.resize(static_cast<std::size_t>(plan.out.count()));
    std::int32_t* to = positions.data();
    std::int32_t* end = ends.data();
    for (std::int64_t d = 0; d < plan.out.d; ++d) {
      const Taps along_d(axes.d, d);
      for (std::int64_t h = 0; h < plan.out.h; ++h) {
        const Taps along_h(axes.h, h);
        for (std::int64_t w = 0; w < plan.out.w; ++w) {
          to = append(plan.in, along_d, along_h, Taps(axes.w, w), to);
          *end++ = static_cast<std::int32_t>(to - positions.data());
        }
      }
    }
  }

 private:
  // Of one window along an axis, as cells.
  struct Taps {
    std::int64_t first, count, step;

    Taps(const WindowAxis& axis, std::int64_t window) : step(axis.dilation) {
      const Span taps = axis.taps(window);
      first = axis.cell(window, taps.begin);
      count = taps.size();
    }
    std::int64_t operator[](std::int64_t i) const { return first + i * step; }
  };

  // Of all windows.
  static std::size_t taps_along(const WindowAxis& axis) {
    std::int64_t sum = 0;
    for (std::int64_t window = 0; window < axis.out; ++window) sum += axis.taps(window).size();
    return static_cast<std::size_t>(sum);
  }

  static std::int32_t* append(const Size3& in, const Taps& d, const Taps& h, const Taps& w,
                              std::int32_t* to) {
    for (std::int64_t i = 0; i < d.count; ++i) {
      for (std::int64_t j = 0; j < h.count; ++j) {
        const std::int64_t row = (d[i] * in.h + h[j]) * in.w;
        for (std::int64_t k = 0; k < w.count; ++k) *to++ = static_cast<std::int32_t>(row + w[k]);
      }
    }
    return to;
  }
};

}  // namespace cairn::max_pool
