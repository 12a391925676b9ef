#pragma once

#include <cstdint>

#include "ops/kit/mean_axis.h"

namespace cairn {

// Calls body(window, cells) for all windows of an axis, in order: without a division for each, where the
// windows are those of adaptive pooling.
template <typename Body>
constexpr void each_window(const MeanAxis& axis, const Body& body) {
  if (!axis.is_adaptive() || axis.out == 0) {
    for (std::int64_t window = 0; window < axis.out; ++window) body(window, axis.cells(window));
    return;
  }
  const std::int64_t whole = axis.in / axis.out;
  const std::int64_t part = axis.in % axis.out;
  std::int64_t begin = 0;
  std::int64_t left = 0;  // behind `begin`, of axis.out
  for (std::int64_t window = 0; window < axis.out; ++window) {
    std::int64_t next = begin + whole;
    left += part;
    if (left >= axis.out) {
      left -= axis.out;
      ++next;
    }
    body(window, Span{begin, next + (left != 0 ? 1 : 0)});
    begin = next;
  }
}

}  // namespace cairn
