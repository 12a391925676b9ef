#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "common/data_type.h"

namespace cairn {

// The values of cubeMathType that a product takes with each data type. It permits less precision, which
// nothing here makes use of.
class CubeMath {
 public:
  static constexpr int kValues = 4;  // keep the type, let FLOAT become FLOAT16, take FLOAT16, take HF32

  constexpr CubeMath() = default;
  constexpr CubeMath(std::initializer_list<int> with_all) : CubeMath(with_all, with_all, with_all) {}
  constexpr CubeMath(std::initializer_list<int> with_float, std::initializer_list<int> with_float16,
                     std::initializer_list<int> with_bf16)
      : bits_{bits(with_float), bits(with_float16), bits(with_bf16)} {}

  constexpr bool any() const { return *this != CubeMath(); }
  constexpr bool allows(DataType type, std::int64_t value) const {
    return value >= 0 && value < kValues && (of(type) >> value & 1U) != 0;
  }
  constexpr bool operator==(const CubeMath&) const = default;

  // "0, 2"
  std::string text(DataType type) const {
    std::string result;
    for (int value = 0; value < kValues; ++value)
      if (allows(type, value)) result += (result.empty() ? "" : ", ") + std::to_string(value);
    return result;
  }
  // "FLOAT 0, 2; FLOAT16 0, 1, 2", or what all types have in common.
  std::string text() const {
    if (bits_[0] == bits_[1] && bits_[1] == bits_[2]) return text(DataType::kFloat);
    std::string result;
    for (const auto& [type, name] : kTypes)
      if (of(type) != 0) result += std::string(result.empty() ? "" : "; ").append(name) + " " + text(type);
    return result;
  }

 private:
  struct Named {
    DataType type;
    std::string_view name;
  };
  static constexpr std::array kTypes = {Named{DataType::kFloat, "FLOAT"},
                                        Named{DataType::kFloat16, "FLOAT16"}, Named{DataType::kBf16, "BF16"}};

  static constexpr std::uint8_t bits(std::initializer_list<int> values) {
    std::uint8_t all = 0;
    for (const int value : values) all = static_cast<std::uint8_t>(all | 1U << value);
    return all;
  }
  constexpr unsigned of(DataType type) const {
    return bits_[type == DataType::kFloat ? 0 : type == DataType::kFloat16 ? 1 : 2];
  }

  std::array<std::uint8_t, 3> bits_{};
};

}  // namespace cairn
