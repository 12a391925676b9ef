#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "acl/acl_base.h"
#include "tensor/text.h"

namespace cairn {

// The formats that a product's page names for an operator; none named means any public one.
class FormatSet {
 public:
  constexpr FormatSet() = default;
  constexpr FormatSet(std::initializer_list<aclFormat> formats) {
    for (const aclFormat format : formats) bits_ |= std::uint64_t{1} << format;
  }

  constexpr bool any() const { return bits_ == 0; }
  constexpr bool allows(aclFormat format) const {
    const auto number = static_cast<int>(format);
    return any() || (number >= 0 && number < kMost && (bits_ >> number & 1) != 0);
  }
  constexpr bool operator==(const FormatSet&) const = default;

  // "NCHW, NHWC"
  std::string text() const {
    if (any()) return "any public";
    std::string result;
    for (int i = 0; i < kMost; ++i) {
      const auto format = static_cast<aclFormat>(i);
      if (allows(format)) result += sentence(result.empty() ? "" : ", ", format);
    }
    return result;
  }

 private:
  static constexpr int kMost = 64;

  std::uint64_t bits_ = 0;
};

}  // namespace cairn
