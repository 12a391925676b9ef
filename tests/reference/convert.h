#pragma once

#include "reference/number.h"

namespace reference {

// Whether one element may be stored as another type.
bool is_conversion(Type from, Type to);

// Stores an element as another type. To a floating-point type it rounds once, to nearest, ties to even;
// beyond the largest finite value it gives Inf, and a NaN becomes the canonical one. Integers keep their low
// bits. The same type is a copy of the bytes.
void convert(const void* from, Type from_type, void* to, Type to_type);

}  // namespace reference
