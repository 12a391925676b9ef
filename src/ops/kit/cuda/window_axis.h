#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/view.h"

namespace cairn::cuda {

// One axis of a pooling window.
template <typename Coord>
struct WindowAxis {
  Coord in, out, kernel, stride, padding, dilation;

  struct Taps {
    Coord start;  // of tap 0
    Coord first;  // the taps in the plane
    Coord end;
  };
  __device__ Taps taps(Coord window) const {
    const Coord start = window * stride - padding;
    const Coord first = start >= 0 ? 0 : dilation == 1 ? -start : (-start - 1) / dilation + 1;
    const Coord room = start >= in ? 0 : dilation == 1 ? in - start : (in - 1 - start) / dilation + 1;
    return {start, first, room < kernel ? room : kernel};
  }
  // A single tap has no neighbour to be apart from.
  bool is_dense() const { return dilation == 1 || kernel == 1; }
};

template <typename Coord>
struct WindowAxes {
  WindowAxis<Coord> d, h, w;

  bool are_dense() const { return d.is_dense() && h.is_dense() && w.is_dense(); }
};

// Of any plan with windows.
template <typename Coord, typename Plan>
WindowAxes<Coord> window_axes(const Plan& plan) {
  const auto axis = [&plan](auto along) {
    return WindowAxis<Coord>{
        static_cast<Coord>(plan.in.*along),      static_cast<Coord>(plan.out.*along),
        static_cast<Coord>(plan.kernel.*along),  static_cast<Coord>(plan.stride.*along),
        static_cast<Coord>(plan.padding.*along), static_cast<Coord>(plan.dilation.*along)};
  };
  return {axis(&Size3::d), axis(&Size3::h), axis(&Size3::w)};
}

}  // namespace cairn::cuda
