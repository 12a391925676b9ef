#pragma once

#include <cstdint>

namespace cairn {

// How an output is made of its neighbours among the input.
enum class Filter : std::uint8_t {
  kLinear,
  kCubic,              // a = -0.75
  kAntialiasedLinear,  // stretched over all cells that fall to an output
  kAntialiasedCubic,   // a = -0.5
};

// One axis of a resampled tensor: `in` cells become `out` positions.
struct FilterAxis {
  std::int64_t in = 1;
  std::int64_t out = 1;
  double scale = 0;  // positions to a cell, where that counts; 0 where the sizes decide
  Filter filter = Filter::kLinear;
  bool align_corners = false;

  bool operator==(const FilterAxis&) const = default;

  // There in name only. With a scale, the weights of one cubic tap need not add up to 1.
  constexpr bool is_absent() const { return in == 1 && keeps_values(); }
  // Every position is the cell of its own number.
  constexpr bool keeps_values() const { return in == out && (filter == Filter::kLinear || scale == 0); }
};

}  // namespace cairn
