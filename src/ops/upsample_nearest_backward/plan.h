#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"

namespace cairn::upsample_nearest_backward {

// gradInput[n,c,i] = sum of gradOut over the box [lo(i), lo(i+1)) of each axis, ascending in D, H, W, where
// lo(i) = min(ceil(float(i) * scale - shift), out); float sums (double for DOUBLE), rounded once.
struct Plan {
  DataType type;  // FLOAT, FLOAT16, BF16 or DOUBLE
  std::int64_t n;
  std::int64_t c;
  Size3 in;   // D, H, W of gradInput
  Size3 out;  // D, H, W of gradOut
  float scale_d;
  float scale_h;
  float scale_w;
  float shift = 0;  // or 0.5
  View5 grad_out;
  View5 grad_input;
};

}  // namespace cairn::upsample_nearest_backward
