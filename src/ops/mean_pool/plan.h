#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"
#include "ops/kit/mean_axis.h"

namespace cairn::mean_pool {

// values[n,c,o] = the sum of window o's cells, in ascending d, h, w, divided by its divisor; in float,
// rounded once. LongSum (ops/kit/long_sum.h) says what the sum of more than 64 is. Every window has a
// cell.
struct Plan {
  DataType type;  // FLOAT, FLOAT16 or BF16: self and values
  std::int64_t n;
  std::int64_t c;
  MeanAxis d;
  MeanAxis h;
  MeanAxis w;
  MeanDivisor divisor;
  View5 self;
  View5 values;
};

}  // namespace cairn::mean_pool
