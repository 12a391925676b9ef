#pragma once

#include <cmath>
#include <cstdint>

#include "ops/kit/span.h"

namespace cairn::max_unpool {

struct PlaneCounts {
  std::int64_t elements;
  std::int64_t cells;  // that an index may name
};

// Whether indices lie anywhere in a large plane, by a few of them: a window that follows such ones goes over
// the whole plane in vain.
template <typename Elements>
bool lie_anywhere(const Elements& elements, std::int64_t plane, Span positions, PlaneCounts counts) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 20;
  constexpr std::int64_t kSamples = 32;
  constexpr double kFar = 0.25;  // of the plane, from where the element lies in its own
  if (counts.cells < kLarge || positions.size() < kSamples) return false;
  std::int64_t far = 0;
  for (std::int64_t k = 0; k < kSamples; ++k) {
    const std::int64_t i = positions.begin + positions.size() / kSamples * k;
    elements.for_each_run(plane, {i, i + 1}, [&](const auto& run) {
      const double place = static_cast<double>(*run.indices) / static_cast<double>(counts.cells);
      const double expected = static_cast<double>(i) / static_cast<double>(counts.elements);
      far += *run.indices >= 0 && std::abs(place - expected) > kFar ? 1 : 0;
      return true;
    });
  }
  return far > kSamples / 4;
}

}  // namespace cairn::max_unpool
