#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "ops/common/data_type.h"

namespace cairn {

// Every type a kernel knows, in the order in which people list them.
inline constexpr std::array kDataTypes = {
    DataType::kFloat, DataType::kFloat16, DataType::kBf16,  DataType::kDouble, DataType::kInt8,
    DataType::kUint8, DataType::kInt16,   DataType::kInt32, DataType::kInt64,
};

constexpr std::string_view name_of(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return "FLOAT";
    case DataType::kFloat16:
      return "FLOAT16";
    case DataType::kInt8:
      return "INT8";
    case DataType::kInt32:
      return "INT32";
    case DataType::kUint8:
      return "UINT8";
    case DataType::kInt16:
      return "INT16";
    case DataType::kInt64:
      return "INT64";
    case DataType::kDouble:
      return "DOUBLE";
    case DataType::kBf16:
      return "BF16";
  }
  return "";
}

// A set of data types, asked by CANN's number: any value is a legal question.
class TypeSet {
 public:
  constexpr TypeSet() = default;
  constexpr TypeSet(std::initializer_list<DataType> types) {
    for (const DataType type : types) bits_ |= std::uint64_t{1} << static_cast<int>(type);
  }

  constexpr bool has(std::int64_t type) const { return type >= 0 && type < 64 && (bits_ >> type & 1) != 0; }
  constexpr bool has(DataType type) const { return has(static_cast<std::int64_t>(type)); }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr TypeSet operator|(TypeSet other) const {
    TypeSet both;
    both.bits_ = bits_ | other.bits_;
    return both;
  }
  constexpr bool operator==(const TypeSet&) const = default;

  // "FLOAT, FLOAT16, BF16"
  std::string text() const {
    std::string result;
    for (const DataType type : kDataTypes) {
      if (!has(type)) continue;
      if (!result.empty()) result += ", ";
      result += name_of(type);
    }
    return result;
  }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace cairn
