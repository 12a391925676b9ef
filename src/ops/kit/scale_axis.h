#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/span.h"

namespace cairn {

// One axis of nearest-neighbour resizing: `in` cells, `out` positions. Every sum and product is rounded to
// float, as the operators define, and may be anything up to infinity.
struct ScaleAxis {
  std::int64_t in;
  std::int64_t out;
  float scale;      // cells to a position for source(), positions to a cell for low()
  float shift = 0;  // 0.5: positions and cells are taken by their centres

  // The cell that a position takes: min(floor((float(position) + shift) * scale), in - 1).
  constexpr std::int64_t source(std::int64_t position) const {
    const float place = (static_cast<float>(position) + shift) * scale;
    if (!(place < kLarge)) return in - 1;
    return std::min(static_cast<std::int64_t>(place), in - 1);
  }

  // The first position that belongs to a cell: min(ceil(float(cell) * scale - shift), out).
  constexpr std::int64_t low(std::int64_t cell) const {
    const float product = static_cast<float>(cell) * scale;
    const float start = product - shift;  // rounded twice: never one fused operation
    if (!(start < kLarge)) return out;
    auto whole = static_cast<std::int64_t>(start);  // 0 for -shift, as rounded up
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
    return scale == static_cast<float>(factor) && in * factor <= std::min(exact_places(), out);
  }

  // Every position takes the cell of its own number.
  constexpr bool keeps_places() const {
    if (out > in) return false;
    // How far a place lies from its position grows with it and, in a line this short, faster than it is
    // rounded: the last one tells.
    constexpr std::int64_t kShort = 1024;
    if (out > kShort) return scale == 1.0F && out <= exact_places();
    const float last = (static_cast<float>(out - 1) + shift) * scale;
    return last >= static_cast<float>(out - 1) && last < static_cast<float>(out);
  }

  // Every cell is taken by `factor` neighbouring positions, the last one perhaps by fewer. A power of two.
  constexpr bool repeats_cells(std::int64_t factor) const {
    return scale == 1.0F / static_cast<float>(factor) && out <= exact_places() &&
           (out + factor - 1) / factor <= in;
  }

  // One position, which takes the one cell and belongs to it: with a shift a small scale leaves it out.
  constexpr bool is_trivial() const { return in == 1 && out == 1 && scale > shift; }

 private:
  // Whole numbers up to this, and shifted ones below it, are floats.
  constexpr std::int64_t exact_places() const { return shift == 0 ? kExactInFloat : kExactInFloat / 2; }

  static constexpr float kLarge = 0x1p62F;
  static constexpr std::int64_t kExactInFloat = std::int64_t{1} << 24;
};

}  // namespace cairn
