#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/view.h"
#include "ops/kit/adaptive_axis.h"

namespace cairn::cuda {

// One axis of a pooling window. Without a stride windows are adaptive ones that differ in size.
template <typename Coord>
struct WindowAxis {
  Coord in, out, kernel, stride, padding, dilation;

  struct Taps {
    Coord start;  // of tap 0
    Coord first;  // the taps in the plane
    Coord end;
  };
  __device__ Taps taps(Coord window) const {
    if (stride == 0) return uneven_taps(window);
    const Coord start = window * stride - padding;
    const Coord first = start >= 0 ? 0 : dilation == 1 ? -start : (-start - 1) / dilation + 1;
    const Coord room = start >= in ? 0 : dilation == 1 ? in - start : (in - 1 - start) / dilation + 1;
    return {start, first, room < kernel ? room : kernel};
  }
  __device__ Taps uneven_taps(Coord window) const {
    constexpr Coord kSmall = 1 << 15;
    if ((in | out) < kSmall) {
      const auto all = static_cast<unsigned>(in);
      const auto parts = static_cast<unsigned>(out);
      const unsigned first = static_cast<unsigned>(window) * all;
      const auto start = static_cast<Coord>(first / parts);
      return {start, 0, static_cast<Coord>((first + all + parts - 1) / parts) - start};
    }
    const Span cells = AdaptiveAxis{in, out}.cells(window);
    return {static_cast<Coord>(cells.begin), 0, static_cast<Coord>(cells.end - cells.begin)};
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
