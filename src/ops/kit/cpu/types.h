#pragma once

#include <cstdint>

#include "common/data_type.h"
#include "ops/kit/cpu/half.h"

// From a data type known at run time to the C++ type that a kernel is compiled for. `body` is a lambda
// template, [&]<typename T>() { … }; in code compiled per instruction set it is HWY_ATTR. An operator's
// contract sees to it that other types do not come here.

namespace cairn {

// FLOAT16 or BF16.
template <typename Body>
decltype(auto) with_half_type(DataType type, const Body& body) {
  if (type == DataType::kFloat16) return body.template operator()<Float16>();
  return body.template operator()<Bfloat16>();
}

// FLOAT, FLOAT16 or BF16.
template <typename Body>
decltype(auto) with_float_type(DataType type, const Body& body) {
  if (type == DataType::kFloat) return body.template operator()<float>();
  return with_half_type(type, body);
}

// FLOAT, FLOAT16, BF16 or DOUBLE.
template <typename Body>
decltype(auto) with_real_type(DataType type, const Body& body) {
  if (type == DataType::kDouble) return body.template operator()<double>();
  return with_float_type(type, body);
}

// An element of BOOL.
struct Bool {
  std::uint8_t byte;
};

// INT8, UINT8, INT16, INT32, INT64 or BOOL.
template <typename Body>
decltype(auto) with_integer_type(DataType type, const Body& body) {
  switch (type) {
    case DataType::kInt8:
      return body.template operator()<std::int8_t>();
    case DataType::kUint8:
      return body.template operator()<std::uint8_t>();
    case DataType::kInt16:
      return body.template operator()<std::int16_t>();
    case DataType::kInt32:
      return body.template operator()<std::int32_t>();
    case DataType::kBool:
      return body.template operator()<Bool>();
    default:
      return body.template operator()<std::int64_t>();
  }
}

// INT32 or INT64.
template <typename Body>
decltype(auto) with_index_type(DataType type, const Body& body) {
  if (type == DataType::kInt32) return body.template operator()<std::int32_t>();
  return body.template operator()<std::int64_t>();
}

// For operators that move bits: the unsigned integer of the type's size.
template <typename Body>
decltype(auto) with_bits_of_type(DataType type, const Body& body) {
  switch (size_of(type)) {
    case 1:
      return body.template operator()<std::uint8_t>();
    case 2:
      return body.template operator()<std::uint16_t>();
    case 4:
      return body.template operator()<std::uint32_t>();
    default:
      return body.template operator()<std::uint64_t>();
  }
}

// with_float_type and with_index_type at once: [&]<typename T, typename Index>() { … }.
template <typename Body>
decltype(auto) with_float_and_index_type(DataType type, DataType index_type, const Body& body) {
  return with_float_type(type, [&]<typename T>() -> decltype(auto) {
    return with_index_type(
        index_type, [&]<typename Index>() -> decltype(auto) { return body.template operator()<T, Index>(); });
  });
}

// The same with DOUBLE.
template <typename Body>
decltype(auto) with_real_and_index_type(DataType type, DataType index_type, const Body& body) {
  return with_real_type(type, [&]<typename T>() -> decltype(auto) {
    return with_index_type(
        index_type, [&]<typename Index>() -> decltype(auto) { return body.template operator()<T, Index>(); });
  });
}

template <typename Body>
decltype(auto) with_half_and_index_type(DataType type, DataType index_type, const Body& body) {
  return with_half_type(type, [&]<typename T>() -> decltype(auto) {
    return with_index_type(
        index_type, [&]<typename Index>() -> decltype(auto) { return body.template operator()<T, Index>(); });
  });
}

// with_bits_of_type and with_index_type at once.
template <typename Body>
decltype(auto) with_bits_and_index_type(DataType type, DataType index_type, const Body& body) {
  return with_bits_of_type(type, [&]<typename Bits>() -> decltype(auto) {
    return with_index_type(index_type, [&]<typename Index>() -> decltype(auto) {
      return body.template operator()<Bits, Index>();
    });
  });
}

}  // namespace cairn
