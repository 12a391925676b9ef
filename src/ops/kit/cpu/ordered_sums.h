#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "common/view.h"
#include "ops/kit/cpu/half.h"

namespace cairn {

// What elements of T are summed in.
template <typename T>
using SumOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

// An element as a term, and a sum as it is stored: rounded once, and a NaN is the one of half.h.
template <typename T>
SumOf<T> widened(T value) {
  if constexpr (std::is_same_v<T, double>)
    return value;
  else
    return to_float(value);
}
template <typename T>
T rounded(SumOf<T> sum) {
  if constexpr (std::is_same_v<T, double>)
    return std::isnan(sum) ? std::bit_cast<double>(kNan<double>) : sum;
  else
    return from_float<T>(sum);
}

// Where the lines lie that fall to one line of cells, counted from the first of them, in the order in which
// they are added.
class LineOffsets {
 public:
  static constexpr std::int64_t kMost = 256;

  // Those of a box, `box` elements along D, H and W.
  void list(const View5& view, Size3 box) {
    if (box.d == box_.d && box.h == box_.h && box.w == box_.w) return;
    box_ = box;
    count = 0;
    for (std::int64_t d = 0; d < box.d; ++d) {
      for (std::int64_t h = 0; h < box.h; ++h) {
        for (std::int64_t w = 0; w < box.w; ++w) offsets[count++] = d * view.d + h * view.h + w * view.w;
      }
    }
  }

  std::int64_t count = 0;
  std::int64_t offsets[kMost];

 private:
  Size3 box_{0, 0, 0};
};

}  // namespace cairn
