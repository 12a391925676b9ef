#pragma once

#include "tensor/text.h"

namespace cairn {

// The parts, one after the other, each as people write it.
template <typename... Parts>
std::string sentence(const Parts&... parts) {
  std::string result;
  ((result += text_of(parts)), ...);
  return result;
}

}  // namespace cairn
