#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"

namespace cairn::max_pool_values {

// values[n,c,o] = the largest tap of window o inside the plane. Taps are looked at in ascending d, h, w, from
// the least value of the type on (-inf): one takes over if it is larger, or a NaN. So the first of equals
// wins, and the last NaN wins over all. A window without a tap in the plane gives that least value. Bits are
// copied.
struct Plan {
  DataType type;  // any but BOOL: self and values
  std::int64_t n;
  std::int64_t c;
  Size3 in;   // D, H, W of self
  Size3 out;  // D, H, W of values; windows may lie in the padding altogether
  Size3 kernel;
  Size3 stride;
  Size3 padding;  // before the plane; that behind it follows from `out`
  Size3 dilation;
  View5 self;
  View5 values;
};

}  // namespace cairn::max_pool_values
