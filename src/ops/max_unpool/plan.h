#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "common/view.h"

namespace cairn::max_unpool {

// out[n,c,indices[n,c,i]] = self[n,c,i], bits copied, 0 elsewhere; of several i with one index the largest
// counts. An index outside out's plane writes nothing, and is a fault unless it is -1. A 4-dimensional call
// has C = 1.
struct Plan {
  DataType type;
  DataType index_type;  // INT32 or INT64
  std::int64_t n;
  std::int64_t c;
  Size3 pooled;    // D, H, W of self and indices
  Size3 unpooled;  // D, H, W of out
  View5 self;
  View5 indices;
  View5 out;
};

}  // namespace cairn::max_unpool
