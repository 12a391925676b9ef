#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"

namespace cairn::max_unpool_backward {

// out[n,c,i] = gradOutput[n,c,indices[n,c,i]], bits copied, or rounded once where out has another type that
// gradOutput's converts to; 0 where the index is not in gradOutput's plane, which is a fault unless it is -1.
// A call without C has C = 1.
struct Plan {
  DataType type;  // of gradOutput
  DataType out_type;
  DataType index_type;  // INT32 or INT64
  std::int64_t n;
  std::int64_t c;
  Size3 pooled;    // D, H, W of self, indices and out
  Size3 unpooled;  // D, H, W of gradOutput
  View5 grad_output;
  View5 indices;
  View5 out;
};

}  // namespace cairn::max_unpool_backward
