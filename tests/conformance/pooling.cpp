#include "conformance/pooling.h"

#include <limits>

namespace conformance {

reference::Type random_pool_type(Random& random) {
  using enum reference::Type;
  return random.pick({kFloat, kFloat16, kBf16, kFloat, kFloat16, kBf16, kDouble});
}

void push_window(Case& it, Random& random, const Draft& draft, const PoolGeometry& geometry) {
  const reference::Window& window = geometry.window;
  it.arguments.emplace_back(draft.array(window.kernel, true));
  // No stride at all means the kernel's.
  const bool left_out = window.stride == window.kernel && random.chance(50);
  it.arguments.emplace_back(left_out ? ArrayArgument(std::in_place) : draft.array(window.stride, true));
  it.arguments.emplace_back(draft.array(window.padding, true));
  it.arguments.emplace_back(draft.array(window.dilation, true));
  it.arguments.emplace_back(geometry.ceil_mode);
}

reference::Window window_of(const Case& it, std::size_t first) {
  const auto values = [&](std::size_t i, std::int64_t missing) {
    return on_axes(*it.subject, it.array(first + i), missing);
  };
  return {values(0, 1), values(it.array(first + 1).empty() ? 0 : 1, 1), values(2, 0), values(3, 1)};
}

std::int64_t taps_of(const reference::Window& window, std::int64_t windows) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  std::int64_t taps = windows;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const std::int64_t value : {window.kernel[axis], window.stride[axis], window.dilation[axis]})
      if (value > 1 << 20) return kMost;
    if (__builtin_mul_overflow(taps, window.kernel[axis], &taps)) return kMost;
  }
  return taps;
}

}  // namespace conformance
