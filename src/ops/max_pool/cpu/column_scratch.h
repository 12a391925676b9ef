#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cpu/aligned.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// A thread's memory for blocks whose columns are reduced first; it outlives the call.
struct ColumnScratch {
  Aligned<float> values;  // of each column, row of windows after row
  Aligned<std::int32_t> positions;
  Aligned<std::int32_t> first;  // of each window: the first of its columns, and the first of the last `width`
  Aligned<std::int32_t> last;
  std::int64_t width = 1;  // a power of 2: columns that are put together before windows are looked at

  // What is read `behind` the last column does not matter.
  void make_room(std::int64_t columns, std::int64_t windows, std::int64_t behind) {
    grow(values, columns + behind);
    grow(positions, columns + behind);
    grow(first, windows);
    grow(last, windows);
  }
};

// Blocks whose columns stay in the first-level cache, if windows are not too wide for that.
inline BlockLimits column_limits(const Plan& plan) {
  constexpr std::int64_t kColumns = 2048;
  BlockLimits limits;
  limits.windows = std::clamp<std::int64_t>(kColumns / plan.kernel.w, 1, limits.windows);
  limits.rows = std::max<std::int64_t>(kColumns / std::min(limits.windows * plan.kernel.w, plan.in.w), 1);
  return limits;
}

}  // namespace cairn::max_pool
