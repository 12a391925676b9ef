#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"

namespace cairn::upsample_nearest {

// values[n,c,o] = self[n,c,i], bits copied, where on each axis i = min(floor((float(o) + shift) * scale), in
// - 1).
struct Plan {
  DataType type;  // FLOAT, FLOAT16, BF16, DOUBLE or UINT8
  std::int64_t n;
  std::int64_t c;
  Size3 in;   // D, H, W of self
  Size3 out;  // D, H, W of values
  float scale_d;
  float scale_h;
  float scale_w;
  float shift = 0;  // or 0.5
  View5 self;
  View5 values;
};

}  // namespace cairn::upsample_nearest
