#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values {

// How rows of windows are cut, and what is kept of the input between them.
struct RowPlan {
  static constexpr std::int64_t kMostCells = 16384;  // under a stretch of windows
  static constexpr std::int64_t kSlack = 256;        // cells behind them that vectors may look at
  static constexpr std::int64_t kMostRing = 16;
  static constexpr std::int64_t kMostWidth = 4096;

  std::int64_t windows;         // of a stretch
  std::int64_t cells;           // under it
  std::int64_t ring = 0;        // rows of the input, as keys: where windows share most of theirs
  std::int64_t ring_pitch = 0;  // cells of one

  explicit RowPlan(const Plan& plan) {
    const WindowAxes axes(plan);
    const std::int64_t room = static_cast<std::int64_t>(StreamWriter::kRoom) / size_of(plan.type);
    windows = std::min({plan.out.w, room, (kMostCells - axes.w.extent) / axes.w.stride + 1});
    cells = (windows - 1) * axes.w.stride + axes.w.extent;
    if (plan.kernel.d == 1 && plan.out.d == 1 && axes.h.kernel > 2 * axes.h.stride &&
        axes.h.extent <= kMostRing && plan.in.w <= kMostWidth) {
      ring = axes.h.extent;
      ring_pitch = (plan.in.w + 63) / 64 * 64;
    }
  }
};

// A thread's memory for them, in bytes; it outlives the call.
struct RowScratch {
  Aligned<std::int64_t> cells;
  Aligned<std::int64_t> best;
  Aligned<std::int64_t> rows;
  std::vector<const void*> held;  // which rows of the input the ring has

  void make_room(const RowPlan& plan) {
    grow(cells, plan.cells + RowPlan::kSlack);
    grow(best, plan.windows + RowPlan::kSlack);
    grow(rows, plan.ring * plan.ring_pitch);
    held.assign(static_cast<std::size_t>(plan.ring), nullptr);
  }
};

}  // namespace cairn::max_pool_values
