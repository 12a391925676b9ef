#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/taps/table.h"

namespace cairn::resample {

// The positions that give something back to a cell of a doubled line with cubic weights: eight, from three
// before the first of its own two to three behind the second. Whatever the line's length, from four cells on,
// they weigh the same in all cells but the outer two. Those have none before them, or behind them; the cells
// next to them lack one.
template <typename T>
struct CubicTaps {
  CubicTaps() {
    constexpr FilterAxis kAxis{.in = 8, .out = 16, .filter = Filter::kCubic};
    TapTable<T> table;
    table.fill_backward(kAxis, {0, kAxis.in});
    std::copy_n(table.of(kAxis.in / 2).weights, 8, inner);
    std::copy_n(table.of(0).weights, 5, first + 3);
    std::copy_n(table.of(kAxis.in - 1).weights, 5, last);
  }

  T inner[8];
  T first[8] = {};
  T last[8] = {};
};

}  // namespace cairn::resample
