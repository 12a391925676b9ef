#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/window_axis.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// What speaks against every method but the last.
inline const char* why_not_indices(const Plan& plan) {
  if (plan.index_type == DataType::kInt8) return "windows have one tap each, and no indices";
  if (!is_aligned(plan.indices, size_of(plan.index_type))) return "indices begin at an odd byte";
  return nullptr;
}

// What speaks against methods that work in vectors of floats.
inline const char* why_not_floats(const Plan& plan) {
  if (const char* reason = why_not_indices(plan)) return reason;
  return plan.type == DataType::kDouble ? "elements are DOUBLE" : nullptr;
}

// Few cells to a window along each axis, and no more than `most` windows to a cell, on average.
inline bool have_few_windows(const WindowAxes& axes, std::int64_t most) {
  constexpr std::int64_t kMostExtent = 8;
  const auto& [d, h, w] = axes;
  return axes.all_reach_cells() && std::max({d.extent, h.extent, w.extent}) <= kMostExtent &&
         d.extent * h.extent * w.extent <= most * d.stride * h.stride * w.stride;
}

// Positions in a plane, which is not empty, are 32-bit numbers.
inline bool count_in_32_bits(const WindowAxes& axes) {
  constexpr std::int64_t kMost = INT64_C(0x7FFFFFFF);
  return axes.h.in <= kMost / axes.w.in && axes.d.in <= kMost / (axes.w.in * axes.h.in);
}

}  // namespace cairn::max_pool_backward
