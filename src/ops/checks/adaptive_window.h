#pragma once

#include "ops/checks/window.h"
#include "ops/kit/adaptive_axis.h"

namespace cairn {

// Adaptive windows as a plan of max pooling has them: those that share no cell and leave none are the windows
// of ordinary pooling, the others have no stride. There are cells and windows.
constexpr Window adaptive_window(std::int64_t in, std::int64_t out) {
  const AdaptiveAxis axis{in, out};
  return {.kernel = axis.most(), .stride = axis.is_even() ? axis.most() : 0, .padding = 0, .dilation = 1};
}

// Windows of one size and at one distance that have at least the cells of `out` adaptive ones over `in`.
constexpr Window covering_window(std::int64_t in, std::int64_t out) {
  if (in == 0 || out == 0) return {1, 1, 0, 1};
  const AdaptiveAxis axis{in, out};
  // Windows that lie no further apart than adaptive ones lag behind them more and more …
  const std::int64_t near = in / out;
  const std::int64_t lagging = in - (out - 1) * near;
  if (axis.is_even()) return {near, near, 0, 1};
  // … and those that lie no nearer run ahead of them, unless they begin before the plane.
  const std::int64_t far = near + 1;
  const std::int64_t ahead = (out - 1) * far - axis.cells(out - 1).begin;
  if (near > 0 && lagging <= far + ahead) return {lagging, near, 0, 1};
  return {far + ahead, far, ahead, 1};
}

}  // namespace cairn
