#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Half-open range of positions along one axis.
struct Span {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t size() const { return std::max<std::int64_t>(end - begin, 0); }
};

// One axis of the window grid. Divisions happen here, once a row or slice, never once an element.
struct Axis {
  std::int64_t in;
  std::int64_t out;
  std::int64_t stride;
  std::int64_t padding;
  std::int64_t extent;  // cells from a window's first tap to its last

  // The windows that reach any cell of `cells`.
  Span windows(Span cells) const {
    const std::int64_t first_reach = cells.begin + padding - extent + 1;
    const std::int64_t first = first_reach > 0 ? (first_reach + stride - 1) / stride : 0;
    const std::int64_t last_reach = cells.end - 1 + padding;
    return {first, last_reach < 0 ? 0 : std::min(out, last_reach / stride + 1)};
  }
  Span windows(std::int64_t cell) const { return windows(Span{cell, cell + 1}); }

  // No window lies in the padding altogether.
  bool all_reach_cells() const {
    return in > 0 && out > 0 && padding < extent && (out - 1) * stride - padding < in;
  }

  // The cells that window `o` reaches, first tap to last.
  Span cells(std::int64_t o) const {
    const std::int64_t begin = o * stride - padding;
    return {std::max<std::int64_t>(begin, 0), std::min(begin + extent, in)};
  }
};

struct Axes {
  Axis d;
  Axis h;
  Axis w;

  explicit Axes(const Plan& p)
      : d{p.in.d, p.out.d, p.stride.d, p.padding.d, (p.kernel.d - 1) * p.dilation.d + 1},
        h{p.in.h, p.out.h, p.stride.h, p.padding.h, (p.kernel.h - 1) * p.dilation.h + 1},
        w{p.in.w, p.out.w, p.stride.w, p.padding.w, (p.kernel.w - 1) * p.dilation.w + 1} {}

  bool all_reach_cells() const { return d.all_reach_cells() && h.all_reach_cells() && w.all_reach_cells(); }

  // Few cells to a window along each axis, and no more than `most` windows to a cell, on average.
  bool have_few_windows(std::int64_t most) const {
    constexpr std::int64_t kMostExtent = 8;
    return all_reach_cells() && std::max({d.extent, h.extent, w.extent}) <= kMostExtent &&
           d.extent * h.extent * w.extent <= most * d.stride * h.stride * w.stride;
  }

  // Positions in a plane are 32-bit numbers.
  bool count_in_32_bits() const {
    constexpr std::int64_t kMost = INT64_C(0x7FFFFFFF);
    return h.in <= kMost / w.in && d.in <= kMost / (w.in * h.in);
  }
};

}  // namespace cairn::max_pool_backward
