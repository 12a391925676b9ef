#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "common/view.h"

namespace cairn {

// A D×H×W plane with neighbouring axes merged wherever their strides allow: a dense or evenly strided plane
// is one run (size 1×1×count). Axes that are left stay in order, the innermost in w.
struct MergedPlane {
  Size3 size;
  std::int64_t stride_d = 0;
  std::int64_t stride_h = 0;
  std::int64_t stride_w = 0;

  bool is_one_run() const { return size.d == 1 && size.h == 1; }
};

constexpr MergedPlane merge_plane(Size3 size, const View5& view) {
  struct Axis {
    std::int64_t size, stride;
  };
  const Axis axes[3] = {{size.w, view.w}, {size.h, view.h}, {size.d, view.d}};
  Axis merged[3] = {{1, 0}, {1, 0}, {1, 0}};
  int last = 0;
  for (const Axis& axis : axes) {
    if (axis.size == 1) continue;
    Axis& inner = merged[last];
    if (inner.size == 1) {
      inner = axis;
    } else if (axis.stride == inner.size * inner.stride) {
      inner.size *= axis.size;
    } else {
      merged[++last] = axis;
    }
  }
  return {
      {merged[2].size, merged[1].size, merged[0].size}, merged[2].stride, merged[1].stride, merged[0].stride};
}

// The same with the axes in the order in which they lie in memory, as if the plane were not transposed.
constexpr MergedPlane merge_in_memory_order(Size3 size, const View5& view) {
  struct Axis {
    std::int64_t size, stride;
  };
  Axis axes[3] = {{size.d, view.d}, {size.h, view.h}, {size.w, view.w}};
  std::ranges::sort(axes, std::ranges::greater{}, &Axis::stride);
  View5 sorted = view;
  sorted.d = axes[0].stride, sorted.h = axes[1].stride, sorted.w = axes[2].stride;
  return merge_plane({axes[0].size, axes[1].size, axes[2].size}, sorted);
}

}  // namespace cairn
