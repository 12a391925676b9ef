#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"
#include "ops/kit/taps/axis.h"

namespace cairn::upsample_linear_backward {

// The transpose of upsample_linear: each cell of gradInput is the sum of what it was multiplied into,
// positions ascending, along W, then H, then D.
struct Plan {
  DataType type;      // of gradOut: FLOAT, FLOAT16, BF16 or DOUBLE
  DataType out_type;  // of gradInput: the same, or of FLOAT also FLOAT16 or BF16
  std::int64_t n;
  std::int64_t c;
  FilterAxis d;
  FilterAxis h;
  FilterAxis w;
  View5 grad_out;
  View5 grad_input;
};

}  // namespace cairn::upsample_linear_backward
