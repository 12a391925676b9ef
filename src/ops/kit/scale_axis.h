#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/span.h"

namespace cairn {

// One axis of nearest-neighbour resizing: `in` cells, `out` positions. Every product is rounded to float, as
// the operators define, and may be anything up to infinity.
struct ScaleAxis {
  std::int64_t in;
  std::int64_t out;
  float scale;  // cells to a position for source(), positions to a cell for low()

  // The cell that a position takes: min(floor(float(position) * scale), in - 1).
  constexpr std::int64_t source(std::int64_t position) const {
    const float place = static_cast<float>(position) * scale;
    if (!(place < kLarge)) return in - 1;
    return std::min(static_cast<std::int64_t>(place), in - 1);
  }

  // The first position that belongs to a cell: min(ceil(float(cell) * scale), out).
  constexpr std::int64_t low(std::int64_t cell) const {
    const float start = static_cast<float>(cell) * scale;
    if (!(start < kLarge)) return out;
    auto whole = static_cast<std::int64_t>(start);
    if (static_cast<float>(whole) < start) ++whole;
    return std::min(whole, out);
  }
  constexpr Span box(std::int64_t cell) const { return {low(cell), low(cell + 1)}; }

  // No cell has more positions in its box than this.
  constexpr std::int64_t most() const {
    return static_cast<float>(in) * scale < static_cast<float>(kExactInFloat)
               ? static_cast<std::int64_t>(scale) + 2
               : out;
  }

  // Every cell's box is the `factor` positions that start at cell * factor.
  constexpr bool has_boxes_of(std::int64_t factor) const {
    return scale == static_cast<float>(factor) && in * factor <= std::min(kExactInFloat, out);
  }

  // Every position takes the cell of its own number.
  constexpr bool keeps_places() const {
    if (out > in) return false;
    // The excess over a position grows with it and, in a line this short, faster than it is rounded: the last
    // one tells.
    constexpr std::int64_t kShort = 4096;
    if (out > kShort) return scale == 1.0F && out <= kExactInFloat;
    const float last = static_cast<float>(out - 1) * scale;
    return last >= static_cast<float>(out - 1) && last < static_cast<float>(out);
  }

  // Every cell is taken by two neighbouring positions, the last one perhaps by one.
  constexpr bool doubles_cells() const {
    return scale == 0.5F && out <= kExactInFloat && (out + 1) / 2 <= in;
  }

  constexpr bool is_trivial() const { return in == 1 && out == 1; }

 private:
  static constexpr float kLarge = 0x1p62F;
  static constexpr std::int64_t kExactInFloat = std::int64_t{1} << 24;
};

}  // namespace cairn
