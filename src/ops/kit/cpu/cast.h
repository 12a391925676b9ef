#pragma once

#include <cstdint>

#include "common/data_type.h"

namespace cairn {

// Stores `count` elements that lie side by side as elements of another type, `stride` of these apart. To a
// floating-point type it rounds once, to nearest even, overflows to infinity and keeps subnormals; every NaN
// becomes the quiet positive one without a payload. Integers keep their low bits. BOOL is 0 or 1. Of one type
// to the same the bits are copied. `converts` says which pairs there are.
void cast_row(DataType from_type, const void* from, DataType to_type, void* to, std::int64_t stride,
              std::int64_t count);

}  // namespace cairn
