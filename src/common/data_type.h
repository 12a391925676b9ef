#pragma once

#include <cstdint>

namespace cairn {

// The element types that kernels know. The values are CANN's, so that a contract can cast an aclDataType.
enum class DataType : std::int32_t {
  kFloat = 0,
  kFloat16 = 1,
  kInt8 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 6,
  kUint16 = 7,
  kInt64 = 9,
  kDouble = 11,
  kBool = 12,  // a byte; any but 0 is true
  kBf16 = 27,
};

constexpr int size_of(DataType type) {
  switch (type) {
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kBool:
      return 1;
    case DataType::kFloat16:
    case DataType::kBf16:
    case DataType::kInt16:
    case DataType::kUint16:
      return 2;
    case DataType::kFloat:
    case DataType::kInt32:
      return 4;
    case DataType::kInt64:
    case DataType::kDouble:
      return 8;
  }
  return 0;
}

constexpr bool is_floating(DataType type) {
  switch (type) {
    case DataType::kFloat:
    case DataType::kFloat16:
    case DataType::kBf16:
    case DataType::kDouble:
      return true;
    default:
      return false;
  }
}

// Whether an operator may store elements of one type as another: not where a fraction or all but one bit
// would be lost.
constexpr bool converts(DataType from, DataType to) {
  if (from == to || from == DataType::kBool) return true;
  return to != DataType::kBool && (is_floating(to) || !is_floating(from));
}

}  // namespace cairn
