#pragma once

#include <cstdint>

#include "common/view.h"

namespace cairn::cuda {

// How far neighbours lie apart along the axes of a march.
struct MarchStrides {
  std::int64_t n, c;
  int march, middle, w;
};

inline MarchStrides march_strides(const View5& view, bool flat) {
  const auto d = static_cast<int>(view.d);
  const auto h = static_cast<int>(view.h);
  return {view.n, view.c, flat ? h : d, flat ? d : h, static_cast<int>(view.w)};
}

}  // namespace cairn::cuda
