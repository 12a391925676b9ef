#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"

namespace cairn::max_unpool_backward {

// out[n,c,i] = gradOutput[n,c,indices[n,c,i]], bits copied; 0 where the index is not in gradOutput's plane.
// A 4-dimensional call has C = 1.
struct Plan {
  DataType type;
  DataType index_type;  // INT32 or INT64
  std::int64_t n;
  std::int64_t c;
  Size3 pooled;    // D, H, W of self, indices and out
  Size3 unpooled;  // D, H, W of gradOutput
  View5 grad_output;
  View5 indices;
  View5 out;  // contiguous
};

}  // namespace cairn::max_unpool_backward
