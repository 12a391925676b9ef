#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"
#include "ops/kit/taps/axis.h"

namespace cairn::upsample_linear {

// out = self, its planes multiplied along W, H and D by the matrices whose rows are the taps of the axes
// (ops/kit/taps); float between the passes (double for DOUBLE), rounded once.
struct Plan {
  DataType type;  // FLOAT, FLOAT16, BF16 or DOUBLE
  std::int64_t n;
  std::int64_t c;
  FilterAxis d;
  FilterAxis h;
  FilterAxis w;
  View5 self;
  View5 out;
};

}  // namespace cairn::upsample_linear
