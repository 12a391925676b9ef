#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/views.h"
#include "ops/kit/cuda/window_axis.h"
#include "ops/max_pool_backward/cuda/warps.cuh"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// What an axis means to boxes of cells.
struct AxisSize {
  std::int64_t in, out, stride, padding;
  std::int64_t extent;  // cells from a window's first tap to its last

  explicit AxisSize(const cuda::WindowAxis<std::int64_t>& axis)
      : in(axis.in),
        out(axis.out),
        stride(axis.out > 1 ? axis.stride : 1),
        padding(axis.padding),
        extent((axis.kernel - 1) * axis.dilation + 1) {}

  std::int64_t boxes(std::int64_t box) const { return std::max<std::int64_t>(cuda::divide_up(in, box), 1); }
  // Windows that a box away from the border meets, times the boxes.
  std::int64_t visits(std::int64_t box) const {
    const std::int64_t count = boxes(box);
    if (count == 1) return out;
    const std::int64_t first = cuda::divide_up(std::max<std::int64_t>(box + padding - extent + 1, 0), stride);
    return count * std::min(out, (2 * box - 1 + padding) / stride + 1 - first);
  }
  // Windows that reach no cell at all.
  std::int64_t windows_beyond() const {
    const std::int64_t before = padding < extent ? 0 : cuda::divide_up(padding - extent + 1, stride);
    const std::int64_t after = out - ((in - 1 + padding) / stride + 1);
    return before + std::max<std::int64_t>(after, 0);
  }
  // The most windows that one box can meet.
  std::int64_t most_windows(std::int64_t box) const {
    if (boxes(box) == 1) return out;
    // The first and the last box also take the windows that reach no cell.
    return std::min(out, (box + extent - 2) / stride + 1 + windows_beyond());
  }
  // At most `most` cells, boxes of like sizes, in whole strides where that fits.
  std::int64_t even_box(std::int64_t most) const {
    if (in <= most) return std::max<std::int64_t>(in, 1);
    const std::int64_t even = cuda::divide_up(in, cuda::divide_up(in, most));
    const std::int64_t whole = cuda::divide_up(even, stride) * stride;
    return whole <= most ? whole : even;
  }
  bool is_narrow() const { return cuda::are_narrow({in, out, stride, padding, extent}); }
};

struct Axes {
  AxisSize d, h, w;

  explicit Axes(const Plan& plan) : Axes(cuda::window_axes<std::int64_t>(plan)) {}
  explicit Axes(const cuda::WindowAxes<std::int64_t>& axes) : d(axes.d), h(axes.h), w(axes.w) {}
};

inline bool same_strides(const View5& a, const View5& b) { return a.d == b.d && a.h == b.h && a.w == b.w; }

// Whether int coordinates hold every size and every offset in a plane of gradOutput and indices.
inline bool fits_int(const Plan& plan, const Axes& axes) {
  if (!axes.d.is_narrow() || !axes.h.is_narrow() || !axes.w.is_narrow()) return false;
  const View5& from = plan.grad_output;
  const std::int64_t steps[3] = {plan.out.d * from.d, plan.out.h * from.h, plan.out.w * from.w};
  return (same_strides(from, plan.indices) || plan.out.count() == 0) &&
         plan.out.count() < INT32_MAX - kThreads &&
         plan.in.d * plan.in.h <= INT32_MAX / std::max<std::int64_t>(plan.in.w, 1) &&
         std::max({steps[0], steps[1], steps[2], steps[0] + steps[1] + steps[2]}) <= INT32_MAX;
}

// The stride along W, for packs of channels: that of one element never counts.
inline std::int64_t step_w(const View5& view, const Size3& size) { return size.w > 1 ? view.w : 0; }

}  // namespace cairn::max_pool_backward
