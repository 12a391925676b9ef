#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "common/data_type.h"

namespace cairn {

struct NamedType {
  DataType type;
  std::string_view name;
};

// Every type a kernel knows, in the order in which people list them.
inline constexpr std::array kDataTypes = {
    NamedType{DataType::kFloat, "FLOAT"}, NamedType{DataType::kFloat16, "FLOAT16"},
    NamedType{DataType::kBf16, "BF16"},   NamedType{DataType::kDouble, "DOUBLE"},
    NamedType{DataType::kInt8, "INT8"},   NamedType{DataType::kUint8, "UINT8"},
    NamedType{DataType::kInt16, "INT16"}, NamedType{DataType::kUint16, "UINT16"},
    NamedType{DataType::kInt32, "INT32"}, NamedType{DataType::kInt64, "INT64"},
    NamedType{DataType::kBool, "BOOL"},
};

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
    for (const NamedType& known : kDataTypes) {
      if (!has(known.type)) continue;
      if (!result.empty()) result += ", ";
      result += known.name;
    }
    return result;
  }

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace cairn
