#pragma once

#include <cmath>

namespace cairn {

// A division as two products: x / by is fma(x, high, x · low), where high is the reciprocal of `by` rounded
// down and low is what that lacks. Before it is rounded the result is off by less than 2^-22 of a last place,
// and no quotient by a whole number below 2^20 is that near to the middle between two floats. What is missing
// is never nothing, so that infinities stay what they are. x must be zero, or 2^-80 at the least: then x ·
// low loses no more than 2^-150 where it is subnormal, which must be kept.
struct SplitReciprocal {
  float high, low;

  SplitReciprocal() = default;
  explicit SplitReciprocal(float by) {
    const double reciprocal = 1.0 / static_cast<double>(by);
    high = static_cast<float>(reciprocal);
    if (static_cast<double>(high) >= reciprocal) high = std::nextafter(high, 0.0F);
    low = static_cast<float>(reciprocal - static_cast<double>(high));
  }
  static bool takes(double by) { return by >= 1 && by < 1 << 20 && by == std::floor(by); }
};

}  // namespace cairn
