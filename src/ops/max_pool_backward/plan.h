#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"

namespace cairn::max_pool_backward {

// gradInput[n,c,i] = sum of gradOutput[n,c,o] over the o with indices[n,c,o] == i, in ascending o, in float
// (double for DOUBLE), rounded once. A 2D call has D = 1 everywhere. Window geometry only tells the kernel
// where an index is likely to point.
struct Plan {
  DataType type;  // FLOAT, FLOAT16, BF16 or DOUBLE: gradOutput and gradInput
  // INT32, which may begin at any byte, or INT64. INT8: windows have one tap each, the cell where they start,
  // and indices is not read.
  DataType index_type;
  std::int64_t n;
  std::int64_t c;
  Size3 in;   // D, H, W of self and gradInput; any may be 0
  Size3 out;  // D, H, W of gradOutput and indices; any may be 0
  Size3 kernel;
  Size3 stride;
  Size3 padding;
  Size3 dilation;
  bool channels_last;  // the program's axes end in C (only the fault's position depends on it)
  View5 grad_output;
  View5 indices;
  View5 grad_input;
};

}  // namespace cairn::max_pool_backward
