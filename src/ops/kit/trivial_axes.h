#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/view.h"
#include "ops/kit/window_axis.h"

namespace cairn {

// The axes of a pooling operator's plan along which planes have one cell and one window, which has it.
class TrivialAxes {
 public:
  template <typename Plan>
  constexpr explicit TrivialAxes(const Plan& plan) {
    const WindowAxes axes(plan);
    const std::array all = {axes.d, axes.h, axes.w};
    const auto is_trivial = [&](int axis) {
      const WindowAxis& it = all[static_cast<std::size_t>(axis)];
      return it.in == 1 && it.out == 1 && it.taps(0).size() == 1;
    };
    std::size_t last = 0;
    for (int axis = 0; axis < 3; ++axis)
      if (is_trivial(axis)) order_[last++] = axis;
    trivial_ = last;
    for (int axis = 0; axis < 3; ++axis)
      if (!is_trivial(axis)) order_[last++] = axis;
  }

  // Sizes, strides of windows and the like; `along_trivial` is what they are along trivial axes.
  constexpr Size3 moved(const Size3& size, std::int64_t along_trivial) const {
    const std::array old = {size.d, size.h, size.w};
    const auto at = [&](std::size_t i) {
      return i < trivial_ ? along_trivial : old[static_cast<std::size_t>(order_[i])];
    };
    return {at(0), at(1), at(2)};
  }

  // `size` is that of the planes, moved.
  constexpr View5 moved(const View5& view, std::int64_t n, std::int64_t c, const Size3& size) const {
    const Size3 strides = moved(Size3{view.d, view.h, view.w}, 0);
    View5 result = view;
    result.d = strides.d;
    result.h = strides.h;
    result.w = strides.w;
    return counted_strides(result, n, c, size);
  }

 private:
  std::array<int, 3> order_ = {0, 1, 2};
  std::size_t trivial_ = 0;
};

// Views of a plan, as pointers to members.
template <auto... kViews>
struct ViewsOf {};

// The plan with its trivial axes in front: kernels look for neighbours along W, and to them a volume of D×1×1
// is a row like any other. No position in a plane changes.
template <typename Plan, auto... kCells, auto... kWindows>
constexpr Plan trivial_axes_first(Plan plan, ViewsOf<kCells...> /*cells*/, ViewsOf<kWindows...> /*windows*/) {
  const TrivialAxes axes(plan);
  plan.in = axes.moved(plan.in, 1);
  plan.out = axes.moved(plan.out, 1);
  plan.kernel = axes.moved(plan.kernel, 1);
  plan.stride = axes.moved(plan.stride, 1);
  plan.padding = axes.moved(plan.padding, 0);
  plan.dilation = axes.moved(plan.dilation, 1);
  ((plan.*kCells = axes.moved(plan.*kCells, plan.n, plan.c, plan.in)), ...);
  ((plan.*kWindows = axes.moved(plan.*kWindows, plan.n, plan.c, plan.out)), ...);
  return plan;
}

}  // namespace cairn
