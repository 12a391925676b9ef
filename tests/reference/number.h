#pragma once

#include <cstdint>

// The oracle's own idea of element types. Nothing here comes from src/, so that a mistake there is not
// repeated here.
namespace reference {

enum class Type { kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kUint16, kInt32, kInt64, kBool };

int size_of(Type type);
const char* name_of(Type type);
bool is_floating(Type type);

float float16_to_float(std::uint16_t bits);
// Rounds to nearest, ties to even; beyond the largest finite value it gives Inf. Subnormals are kept.
std::uint16_t float_to_float16(float value);

float bf16_to_float(std::uint16_t bits);
std::uint16_t float_to_bf16(float value);

// One element of FLOAT, FLOAT16 or BF16 as a float (exact), and back through one rounding.
float load_float(const void* element, Type type);
void store_float(void* element, Type type, float value);
// BOOL is 0 or 1, which is any other byte.
std::int64_t load_integer(const void* element, Type type);
void store_integer(void* element, Type type, std::int64_t value);

bool is_nan(const void* element, Type type);
// A NaN becomes the one that sums have: quiet, positive, no payload. Anything else stays as it is.
void make_nan_canonical(void* element, Type type);

}  // namespace reference
