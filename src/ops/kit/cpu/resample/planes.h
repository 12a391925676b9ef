#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "common/data_type.h"
#include "common/view.h"
#include "ops/kit/span.h"
#include "ops/kit/taps/axis.h"
#include "ops/kit/taps/table.h"

namespace cairn::resample {

// Positions lie a quarter of a cell on either side of its middle. A scale of 2 has the very positions of the
// sizes.
constexpr bool is_doubled(const FilterAxis& axis, Filter filter = Filter::kLinear) {
  return axis.filter == filter && !axis.align_corners && axis.out == 2 * axis.in &&
         (axis.scale == 0 || axis.scale == 2);
}

// A tensor whose planes are resampled into those of another: along W, then H, then D. Forward each position
// is made of cells, backward each cell of the positions that were made of it.
struct Planes {
  std::array<FilterAxis, 3> axes{};  // D, H, W
  bool backward = false;
  DataType read_type = DataType::kFloat;
  DataType written_type = DataType::kFloat;
  View5 read{}, written{};
  std::int64_t n = 1, c = 1;
  std::int64_t channels = 1;  // side by side in both tensors, or 1

  std::int64_t sources(std::size_t axis) const { return backward ? axes[axis].out : axes[axis].in; }
  std::int64_t targets(std::size_t axis) const { return backward ? axes[axis].in : axes[axis].out; }

  template <typename T>
  void fill(TapTable<T>& table, std::size_t axis, Span some) const {
    if (backward) return table.fill_backward(axes[axis], some);
    table.fill_forward(axes[axis], some);
  }

  std::int64_t read_elements() const { return n * c * channels * sources(0) * sources(1) * sources(2); }
  std::int64_t written_elements() const { return n * c * channels * targets(0) * targets(1) * targets(2); }

  // Vectors lie along W, so an axis that is there in name only must not be W; and what is not resampled is
  // best walked last.
  void put_axes_in_order() {
    constexpr FilterAxis kNone{};
    for (int i = 0; i < 2 && axes[2].is_absent(); ++i) {
      axes[2] = std::exchange(axes[1], std::exchange(axes[0], kNone));
      read.w = std::exchange(read.h, std::exchange(read.d, 0));
      written.w = std::exchange(written.h, std::exchange(written.d, 0));
    }
    if (c > 1 && read.c == 1 && written.c == 1) std::swap(c, channels);
    // Lines without an H to follow each other along: those of the next channel do.
    if (c > 1 && axes[1].is_absent()) {
      axes[1] = {.in = c, .out = c};
      read.h = std::exchange(read.c, 0);
      written.h = std::exchange(written.c, 0);
      c = 1;
    }
  }
};

// How the work is cut: tiles of targets that a thread computes with what fits its cache.
struct Tiling {
  std::int64_t d, h, w;  // the size of a tile
  std::int64_t tiles_d, tiles_h, tiles_w;

  std::int64_t count(const Planes& planes) const { return planes.n * planes.c * tiles_d * tiles_h * tiles_w; }
};

}  // namespace cairn::resample
