#pragma once

#include <cstdint>

#include "common/view.h"
#include "ops/kit/cuda/grid.h"

namespace cairn::cuda {

// How far neighbours lie apart along the axes of a march.
struct MarchStrides {
  std::int64_t n, c;
  int march, middle, w;

  // Where the line along W begins that has the place's other coordinates.
  __device__ std::int64_t line(const Place<int>& place) const {
    return place.n * n + place.slice * c + static_cast<std::int64_t>(place.d) * march +
           static_cast<std::int64_t>(place.h) * middle;
  }
};

inline MarchStrides march_strides(const View5& view, bool flat) {
  const auto d = static_cast<int>(view.d);
  const auto h = static_cast<int>(view.h);
  return {view.n, view.c, flat ? h : d, flat ? d : h, static_cast<int>(view.w)};
}

}  // namespace cairn::cuda
