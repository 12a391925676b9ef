#pragma once

#include "conformance/draft.h"
#include "conformance/geometry.h"

// What nearest upsampling and its backward share: the scales stand before the output.
namespace conformance {

inline void push_scales(Case& it, const UpsampleGeometry& geometry) {
  for (auto axis = static_cast<std::size_t>(3 - it.subject->spatial); axis < 3; ++axis)
    it.arguments.emplace_back(geometry.scales[axis]);
}

// Axes that the operator lacks are scaled by 1.
inline std::array<double, 3> scales_of(const Case& it) {
  std::array<double, 3> scales{1, 1, 1};
  const auto spatial = static_cast<std::size_t>(it.subject->spatial);
  for (std::size_t i = 0; i < spatial; ++i)
    scales[3 - spatial + i] = std::get<double>(it.arguments[it.arguments.size() - 1 - spatial + i]);
  return scales;
}

}  // namespace conformance
