#pragma once

#include <algorithm>
#include <cstdint>

#include "common/view.h"
#include "ops/kit/adaptive_axis.h"
#include "ops/kit/span.h"

namespace cairn {

// One axis of a grid of windows: window `o` has its taps at start(o) + k * dilation. Divisions happen here,
// once a row or slice, never once an element. Without a stride windows are adaptive ones that differ in size,
// of `kernel` taps at most.
struct WindowAxis {
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t padding;
  std::int64_t dilation;

  // Cells from a window's first tap to its last, or kHuge.
  static constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  std::int64_t extent = kernel - 1 < kHuge / dilation ? (kernel - 1) * dilation + 1 : kHuge;

  // Where window `o` has its first tap; may lie in the padding.
  constexpr std::int64_t start(std::int64_t o) const {
    return is_uneven() ? adaptive().cells(o).begin : o * stride - padding;
  }
  constexpr std::int64_t cell(std::int64_t o, std::int64_t tap) const { return start(o) + tap * dilation; }

  // The taps of window `o` inside the plane, by number. Most windows have all of them, without a division.
  constexpr Span taps(std::int64_t o) const {
    if (is_uneven()) return {0, adaptive().cells(o).size()};
    const std::int64_t begin = start(o);
    if (begin >= 0 && extent <= in - begin) return {0, kernel};
    const std::int64_t first = begin >= 0 ? 0 : (-begin + dilation - 1) / dilation;
    const std::int64_t last = begin >= in ? 0 : std::min(kernel, (in - begin - 1) / dilation + 1);
    return first < last ? Span{first, last} : Span{0, 0};
  }

  // The cells of the plane that window `o` reaches, first tap to last.
  constexpr Span cells(std::int64_t o) const {
    if (is_uneven()) return adaptive().cells(o);
    return {std::max<std::int64_t>(start(o), 0), std::min(start(o) + extent, in)};
  }

  // The windows that reach any cell of `cells`.
  constexpr Span windows(const Span& cells) const {
    if (is_uneven()) return {adaptive().windows(cells.begin).begin, adaptive().windows(cells.end - 1).end};
    const std::int64_t first_reach = cells.begin + padding - extent + 1;
    const std::int64_t first = first_reach > 0 ? (first_reach + stride - 1) / stride : 0;
    const std::int64_t last_reach = cells.end - 1 + padding;
    return {first, last_reach < 0 ? 0 : std::min(out, last_reach / stride + 1)};
  }
  constexpr Span windows(std::int64_t cell) const { return windows(Span{cell, cell + 1}); }

  // How many windows have a cell, at most.
  constexpr std::int64_t most_windows() const {
    return std::min(out, is_uneven() ? AdaptiveAxis{out, in}.most() : (extent + stride - 1) / stride);
  }

  constexpr bool is_uneven() const { return stride == 0; }
  constexpr AdaptiveAxis adaptive() const { return {in, out}; }

  // No window lies in the padding altogether.
  constexpr bool all_reach_cells() const {
    return in > 0 && out > 0 && padding < extent && (out - 1) * stride - padding < in;
  }
};

struct WindowAxes {
  WindowAxis d;
  WindowAxis h;
  WindowAxis w;

  // Of a pooling operator's plan.
  template <typename Plan>
  constexpr explicit WindowAxes(const Plan& p)
      : d{p.in.d, p.out.d, p.kernel.d, p.stride.d, p.padding.d, p.dilation.d},
        h{p.in.h, p.out.h, p.kernel.h, p.stride.h, p.padding.h, p.dilation.h},
        w{p.in.w, p.out.w, p.kernel.w, p.stride.w, p.padding.w, p.dilation.w} {}

  constexpr bool all_reach_cells() const {
    return d.all_reach_cells() && h.all_reach_cells() && w.all_reach_cells();
  }
};

}  // namespace cairn
