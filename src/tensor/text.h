#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "acl/acl_base.h"

namespace cairn {

std::string text_of(std::span<const std::int64_t> values);  // "[2,3,4]"
std::string text_of(aclDataType type);                      // "FLOAT16"
std::string text_of(aclFormat format);                      // "NCHW"
std::string text_of(double value);
bool is_format(aclFormat format);  // whether the number is one of aclFormat's values
std::string text_of(std::string_view text);
std::string address_text(const void* address);  // "0x1234"
inline std::string text_of(std::integral auto value) { return std::to_string(value); }

// The parts, one after the other, each as people write it.
template <typename... Parts>
std::string sentence(const Parts&... parts) {
  std::string result;
  ((result += text_of(parts)), ...);
  return result;
}

}  // namespace cairn
