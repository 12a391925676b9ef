#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// Half-open range along one axis.
struct Span {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t size() const { return std::max<std::int64_t>(end - begin, 0); }
  bool operator==(const Span&) const = default;
};

// One axis of the window grid. Divisions happen here, once a row or slice, never once an element.
struct Axis {
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t padding;
  std::int64_t dilation;

  // Where window `o` has its first tap; may lie in the padding.
  std::int64_t start(std::int64_t o) const { return o * stride - padding; }

  // The taps of window `o` inside the plane, by number.
  Span taps(std::int64_t o) const {
    const std::int64_t begin = start(o);
    const std::int64_t first = begin >= 0 ? 0 : (-begin + dilation - 1) / dilation;
    const std::int64_t last = begin >= in ? 0 : std::min(kernel, (in - begin - 1) / dilation + 1);
    return first < last ? Span{first, last} : Span{0, 0};
  }

  // Cells from a window's first tap to its last, or kHuge.
  std::int64_t extent() const { return kernel - 1 < kHuge / dilation ? (kernel - 1) * dilation + 1 : kHuge; }
  static constexpr std::int64_t kHuge = std::int64_t{1} << 40;
};

struct Axes {
  Axis d;
  Axis h;
  Axis w;

  explicit Axes(const Plan& p)
      : d{p.in.d, p.out.d, p.kernel.d, p.stride.d, p.padding.d, p.dilation.d},
        h{p.in.h, p.out.h, p.kernel.h, p.stride.h, p.padding.h, p.dilation.h},
        w{p.in.w, p.out.w, p.kernel.w, p.stride.w, p.padding.w, p.dilation.w} {}
};

}  // namespace cairn::max_pool
