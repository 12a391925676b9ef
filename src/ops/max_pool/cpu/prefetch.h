#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// How far to prefetch, in elements: where windows soon to come have their rows. In small planes that is the
// next slab: its rows come before those of this slab's other slices.
inline std::int64_t prefetch_distance(const Plan& plan, std::int64_t element_size) {
  constexpr std::int64_t kAhead = 2048;
  constexpr std::int64_t kSmallSlab = 16384;
  // A single window may have any stride; where the next would lie does not matter then.
  const auto distance = [](std::int64_t stride, std::int64_t step) {
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    std::int64_t result = 0;
    return __builtin_mul_overflow(stride, step, &result) || result > kFar ? 0 : result;
  };
  const std::int64_t slab = distance(plan.stride.d, plan.self.d);
  const bool by_slabs = plan.out.d > 1 && plan.kernel.d > 1 && slab * element_size <= kSmallSlab;
  const std::int64_t step = by_slabs ? slab : distance(plan.stride.h, plan.self.h);
  const std::int64_t bytes = std::max<std::int64_t>(step * element_size, 1);
  return (kAhead + bytes - 1) / bytes * step;
}

}  // namespace cairn::max_pool
