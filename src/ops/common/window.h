#pragma once

#include <cstdint>

namespace cairn {

__extension__ using Wide = __int128;

// A pooling window along one axis.
struct Window {
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t padding;
  std::int64_t dilation;
};

// How many windows fit along an axis, 0 or less when none does. The values may be as large as their type
// allows.
constexpr Wide pooled_size(std::int64_t size, const Window& window, bool ceil_mode) {
  const Wide reach = Wide{window.dilation} * (window.kernel - 1) + 1;
  const Wide room = Wide{size} + 2 * Wide{window.padding} - reach + (ceil_mode ? window.stride - 1 : 0);
  const Wide steps = room >= 0 ? room / window.stride : -((-room + window.stride - 1) / window.stride);
  // With ceilMode the last window must still begin inside the input or its left padding.
  const bool beyond = ceil_mode && steps * window.stride >= Wide{size} + window.padding;
  return beyond ? steps : steps + 1;
}

}  // namespace cairn
