#pragma once

#include <cstdint>

#include "common/view.h"

namespace cairn {

// A row among those of all planes: of plane (n, c), in slice d, row h.
struct PlaneRow {
  // Planes side by side along C, and what each has.
  struct Counts {
    std::int64_t planes, slices, rows;
  };

  std::int64_t n, c, d, h;

  PlaneRow(const Counts& of, std::int64_t row)
      : n(row / of.rows / of.slices / of.planes),
        c(row / of.rows / of.slices % of.planes),
        d(row / of.rows % of.slices),
        h(row % of.rows) {}

  // To the next row, or some rows further in the same slice: without the divisions that finding one takes.
  void step(const Counts& of, std::int64_t rows = 1) {
    h += rows;
    if (h < of.rows) return;
    h = 0;
    if (++d < of.slices) return;
    d = 0;
    if (++c < of.planes) return;
    c = 0;
    ++n;
  }

  // Where the plane begins, and where the row does.
  template <typename T>
  T* plane_of(const View5& view) const {
    return static_cast<T*>(view.data) + n * view.n + c * view.c;
  }
  template <typename T>
  T* row_of(const View5& view) const {
    return plane_of<T>(view) + d * view.d + h * view.h;
  }
};

}  // namespace cairn
