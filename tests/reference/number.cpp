#include "reference/number.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

namespace reference {
namespace {

template <typename T>
T read(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

template <typename T, typename V>
void write(void* element, V value) {
  const T converted = static_cast<T>(value);
  std::memcpy(element, &converted, sizeof(T));
}

// mantissa / 2^shift, to nearest, ties to even.
std::uint32_t shift_right_rounded(std::uint32_t mantissa, int shift) {
  if (shift > 25) return 0;
  const std::uint32_t quotient = mantissa >> shift;
  const std::uint32_t rest = mantissa - (quotient << shift);
  const std::uint32_t half = 1U << (shift - 1);
  const bool up = rest > half || (rest == half && quotient % 2 == 1);
  return quotient + (up ? 1 : 0);
}

}  // namespace

int size_of(Type type) {
  switch (type) {
    case Type::kInt8:
    case Type::kUint8:
    case Type::kBool:
      return 1;
    case Type::kFloat16:
    case Type::kBf16:
    case Type::kInt16:
    case Type::kUint16:
      return 2;
    case Type::kFloat:
    case Type::kInt32:
      return 4;
    case Type::kDouble:
    case Type::kInt64:
      return 8;
  }
  std::abort();
}

const char* name_of(Type type) {
  static constexpr const char* kNames[] = {"FLOAT", "FLOAT16", "BF16",  "DOUBLE", "INT8", "UINT8",
                                           "INT16", "UINT16",  "INT32", "INT64",  "BOOL"};
  return kNames[static_cast<int>(type)];
}

bool is_floating(Type type) {
  return type == Type::kFloat || type == Type::kFloat16 || type == Type::kBf16 || type == Type::kDouble;
}

float float16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const int exponent = bits >> 10 & 31;
  const std::uint32_t mantissa = bits & 1023;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | mantissa << 13);
  if (exponent == 0) {
    // mantissa * 2^-24, exact in float.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(magnitude));
  }
  return std::bit_cast<float>(sign | static_cast<std::uint32_t>(exponent - 15 + 127) << 23 | mantissa << 13);
}

std::uint16_t float_to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const int biased = static_cast<int>(bits >> 23 & 255);
  const std::uint32_t fraction = bits & 0x7fffff;
  if (biased == 255) return static_cast<std::uint16_t>(sign | (fraction != 0 ? 0x7e00 : 0x7c00));
  if (biased == 0) return static_cast<std::uint16_t>(sign);  // below 2^-126: far under half of 2^-24
  const int exponent = biased - 127;
  if (exponent > 15) return static_cast<std::uint16_t>(sign | 0x7c00);
  // The float is mantissa * 2^(exponent-23); float16's last place there is 2^(max(exponent,-14)-10).
  const std::uint32_t mantissa = fraction | 0x800000;
  const int unit = std::max(exponent, -14) - 10;
  const std::uint32_t units = shift_right_rounded(mantissa, unit - (exponent - 23));
  // A rounding that carries walks into the next exponent, or into Inf, by itself.
  const std::uint32_t magnitude =
      exponent < -14 ? units : (static_cast<std::uint32_t>(exponent + 15) << 10) + (units - 1024);
  return static_cast<std::uint16_t>(sign | magnitude);
}

float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  const std::uint32_t rounded = shift_right_rounded(magnitude, 16);
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | rounded);
}

float load_float(const void* element, Type type) {
  switch (type) {
    case Type::kFloat:
      return read<float>(element);
    case Type::kFloat16:
      return float16_to_float(read<std::uint16_t>(element));
    case Type::kBf16:
      return bf16_to_float(read<std::uint16_t>(element));
    default:
      std::abort();
  }
}

void store_float(void* element, Type type, float value) {
  switch (type) {
    case Type::kFloat:
      return write<float>(element, value);
    case Type::kFloat16:
      return write<std::uint16_t>(element, float_to_float16(value));
    case Type::kBf16:
      return write<std::uint16_t>(element, float_to_bf16(value));
    default:
      std::abort();
  }
}

std::int64_t load_integer(const void* element, Type type) {
  switch (type) {
    case Type::kInt8:
      return read<std::int8_t>(element);
    case Type::kUint8:
      return read<std::uint8_t>(element);
    case Type::kInt16:
      return read<std::int16_t>(element);
    case Type::kUint16:
      return read<std::uint16_t>(element);
    case Type::kInt32:
      return read<std::int32_t>(element);
    case Type::kInt64:
      return read<std::int64_t>(element);
    case Type::kBool:
      return read<std::uint8_t>(element) == 0 ? 0 : 1;
    default:
      std::abort();
  }
}

void store_integer(void* element, Type type, std::int64_t value) {
  switch (type) {
    case Type::kInt8:
      return write<std::int8_t>(element, value);
    case Type::kUint8:
      return write<std::uint8_t>(element, value);
    case Type::kInt16:
      return write<std::int16_t>(element, value);
    case Type::kUint16:
      return write<std::uint16_t>(element, value);
    case Type::kInt32:
      return write<std::int32_t>(element, value);
    case Type::kInt64:
      return write<std::int64_t>(element, value);
    default:
      std::abort();
  }
}

bool is_nan(const void* element, Type type) {
  switch (type) {
    case Type::kFloat:
      return (read<std::uint32_t>(element) & 0x7fffffff) > 0x7f800000;
    case Type::kFloat16:
      return (read<std::uint16_t>(element) & 0x7fff) > 0x7c00;
    case Type::kBf16:
      return (read<std::uint16_t>(element) & 0x7fff) > 0x7f80;
    case Type::kDouble:
      return (read<std::uint64_t>(element) & 0x7fffffffffffffff) > 0x7ff0000000000000;
    default:
      return false;
  }
}

void make_nan_canonical(void* element, Type type) {
  if (!is_nan(element, type)) return;
  switch (type) {
    case Type::kFloat:
      return write<std::uint32_t>(element, 0x7fc00000);
    case Type::kFloat16:
      return write<std::uint16_t>(element, 0x7e00);
    case Type::kBf16:
      return write<std::uint16_t>(element, 0x7fc0);
    case Type::kDouble:
      return write<std::uint64_t>(element, 0x7ff8000000000000);
    default:
      std::abort();
  }
}

}  // namespace reference
