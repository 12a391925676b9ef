#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"

namespace cairn::max_pool {

// values[n,c,o] = the largest tap of window o inside the plane, indices[n,c,o] = its flat position there.
// Taps are looked at in ascending d, h, w, from -inf and the first tap: one takes over if it is larger, or a
// NaN. So the first of equals wins, and the last NaN wins over all. A window without a tap in the plane gives
// -inf and -1. Bits are copied. INT32 indices may begin at any byte. A 2D call has D = 1 everywhere.
//
// Adaptive windows that do not divide an axis evenly have stride 0 there, no padding and dilation 1; window o
// has the cells of AdaptiveAxis (ops/kit/adaptive_axis.h), kernel of them at most.
struct Plan {
  DataType type;  // FLOAT, FLOAT16, BF16 or DOUBLE: self and values
  // INT32 or INT64. INT8: windows have one tap each, and indices is a mask (ops/kit/ones_mask.h) that says
  // so.
  DataType index_type;
  std::int64_t n;
  std::int64_t c;
  Size3 in;   // D, H, W of self; any may be 0
  Size3 out;  // D, H, W of values and indices; any may be 0
  Size3 kernel;
  Size3 stride;
  Size3 padding;
  Size3 dilation;
  View5 self;
  View5 values;
  View5 indices;
};

constexpr bool has_uneven_windows(const Plan& plan) {
  return plan.stride.d == 0 || plan.stride.h == 0 || plan.stride.w == 0;
}

}  // namespace cairn::max_pool
