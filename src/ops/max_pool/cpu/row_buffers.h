#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "ops/kit/cpu/target.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// What windows that are reduced along W, then H, then D keep in between.
struct RowBuffers {
  static constexpr std::int64_t kMostInput = 1 << 21;  // elements of an input row, with padding

  BlockLimits limits;
  std::int64_t pitch = 0;           // room for a row of windows
  std::int64_t slots = 0;           // slices kept, their windows' best along W and H; none if D is trivial
  std::int64_t ring = 1;            // input rows kept, their windows' best along W; a power of 2
  const char* too_large = nullptr;  // for the cache, in words

  // There are windows, `lanes` to a vector.
  RowBuffers(const Plan& plan, const WindowAxes& axes, std::int64_t lanes) {
    constexpr std::int64_t kTooFar = 8 << 20;
    constexpr std::int64_t kNear = 256 << 10;
    constexpr std::int64_t kShort = 8192;
    if (axes.w.extent > kMostInput) {
      too_large = "windows are too wide";
      return;
    }
    // More windows than usual where they share much.
    const std::int64_t shared = std::clamp(axes.w.extent / 8, limits.windows, BlockLimits::kMostElements);
    // Rows are copied whole, which takes a fortieth of what a tap takes cell by cell.
    const std::int64_t taps =
        std::min(std::min(plan.kernel.d, plan.in.d) * std::min(plan.kernel.h, plan.in.h) *
                     std::min(plan.kernel.w, plan.in.w),
                 axes.w.extent);
    if (axes.w.extent > kShort && axes.w.extent > 40 * taps * std::min(shared, plan.out.w)) {
      too_large = "windows are wide and have few taps";
      return;
    }
    slots = plan.kernel.d > 1 ? axes.d.extent : 0;
    const std::int64_t reach = std::clamp<std::int64_t>(plan.in.h, 1, axes.h.extent);
    // As many as can be kept of all rows and slices that they reach.
    const std::int64_t kept = std::max(kTooFar / 8 / std::max(slots, reach) / lanes * lanes, lanes);
    limits.windows = std::min({shared, kept, (kMostInput - axes.w.extent) / plan.stride.w + 1});
    pitch = (limits.stretch(plan) + lanes - 1) / lanes * lanes;
    const std::int64_t row_bytes = pitch * 8;
    if (std::max(slots, reach) > kTooFar / row_bytes) {
      too_large = "windows reach too many rows or slices";
      return;
    }
    ring = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(reach)));
    if (slots == 0) return;
    // Slabs want to be whole slices.
    limits.elements = BlockLimits::kMostElements;
    limits.rows = std::max<std::int64_t>(kNear / (row_bytes * slots), 1);
    limits.slices_first = plan.stride.d < axes.d.extent;
  }
};

// Of blocks whose buffers are not too large.
inline BlockLimits row_limits(const Plan& plan) {
  return RowBuffers(plan, WindowAxes(plan), float_lanes()).limits;
}

// The cells that a stretch of windows looks at.
inline Span cells_of(const WindowAxis& axis, const Span& windows) {
  return {std::clamp<std::int64_t>(axis.start(windows.begin), 0, axis.in),
          std::clamp<std::int64_t>(axis.start(windows.end - 1) + axis.extent, 0, axis.in)};
}

}  // namespace cairn::max_pool
