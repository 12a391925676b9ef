#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"
#include "ops/kit/mean_axis.h"

namespace cairn::mean_pool_backward {

// gradInput[n,c,i] = the sum of gradOutput[n,c,o] divided by the divisor of window o, over the windows that
// have cell i, in ascending o; in float (double for DOUBLE), rounded once. LongSum (ops/kit/long_sum.h)
// says what the sum of more than 64 is. A cell that no window has is +0.0.
struct Plan {
  DataType type;  // FLOAT, FLOAT16, BF16 or DOUBLE: gradOutput and gradInput
  std::int64_t n;
  std::int64_t c;
  MeanAxis d;  // any may have no window
  MeanAxis h;
  MeanAxis w;
  MeanDivisor divisor;
  View5 grad_output;
  View5 grad_input;
};

}  // namespace cairn::mean_pool_backward
