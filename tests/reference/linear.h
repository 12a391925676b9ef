#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "reference/oracle.h"

// Resampling by weighted sums (linear, cubic, antialiased) and its gradient, as the definition reads.
namespace reference {

enum class Smoothing { kLinear, kCubic, kAntialiasedLinear, kAntialiasedCubic };

// One axis: n cells, m positions. A scale that does not count is 0.
struct Resizing {
  std::int64_t n = 1;
  std::int64_t m = 1;
  double scale = 0;
};

// The cells that position `o` is made of, ascending, each with what it is multiplied by, in double.
using TapList = std::vector<std::pair<std::int64_t, double>>;
TapList taps_of(Smoothing smoothing, const Resizing& axis, bool align_corners, std::int64_t o);

struct Resample {
  Smoothing smoothing = Smoothing::kLinear;
  bool align_corners = false;
  std::array<double, 3> scales{};  // along D, H, W; 0 where the sizes decide
};

// W, then H, then D; every product and sum rounded to float (double for DOUBLE), the result once more.
void resample(const View& self, const View& out, const Resample& how);
void resample_backward(const View& grad_out, const View& grad_input, const Resample& how);

}  // namespace reference
