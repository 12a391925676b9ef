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

// How many windows fit along an axis, 0 or less when none does; `behind` is the padding behind it. Number
// holds the products of two values.
template <typename Number>
constexpr Number windows_that_fit(std::int64_t size, const Window& window, std::int64_t behind,
                                  bool ceil_mode) {
  const Number reach = Number{window.dilation} * (window.kernel - 1) + 1;
  const Number room = Number{size} + window.padding + behind - reach + (ceil_mode ? window.stride - 1 : 0);
  const Number steps = room >= 0 ? room / window.stride : -((-room + window.stride - 1) / window.stride);
  // With ceilMode the last window must still begin inside the input or its left padding.
  const bool beyond = ceil_mode && steps * window.stride >= Number{size} + window.padding;
  return beyond ? steps : steps + 1;
}

// The same of values as large as their type allows; small ones are divided faster.
constexpr Wide pooled_size(std::int64_t size, const Window& window, std::int64_t behind, bool ceil_mode) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 30;
  const auto all = static_cast<std::uint64_t>(size | window.kernel | window.stride | window.padding | behind |
                                              window.dilation);
  return all < kSmall ? windows_that_fit<std::int64_t>(size, window, behind, ceil_mode)
                      : windows_that_fit<Wide>(size, window, behind, ceil_mode);
}

constexpr Wide pooled_size(std::int64_t size, const Window& window, bool ceil_mode) {
  return pooled_size(size, window, window.padding, ceil_mode);
}

// Windows that have the same taps among `size` positions, with values that do not go far beyond it, so that
// no kernel's arithmetic overflows. `windows` is how many there are.
Window same_taps(const Window& window, std::int64_t size, std::int64_t windows);

// As a plan has them: windows as programs have them keep their values, by which kernels choose their way.
Window planned_window(const Window& window, std::int64_t size, std::int64_t windows);

}  // namespace cairn
