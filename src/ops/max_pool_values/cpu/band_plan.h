#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values {

// How the windows of a plane are cut into bands: some rows of windows, or a stretch of them where rows are
// long.
struct BandPlan {
  static constexpr std::int64_t kMostCells = 16384;  // of a row, under a stretch of windows
  static constexpr std::int64_t kSlack = 256;        // cells behind a band that vectors may look at

  std::int64_t windows;  // of a stretch
  std::int64_t pitch;    // from one row of cells to the next: a whole number of windows
  std::int64_t rows;     // of windows
  std::int64_t lines;    // of the input under them, kept as keys; 0 if windows share none
  std::int64_t bands;    // of a plane, one below the other
  std::int64_t stretches;
  std::int64_t ahead;  // elements of self from what is read to what is prefetched: whole rows of windows

  explicit BandPlan(const Plan& plan) {
    const WindowAxes axes(plan);
    const std::int64_t size = size_of(plan.type);
    const std::int64_t room = static_cast<std::int64_t>(StreamWriter::kRoom) / size;
    windows = std::min({plan.out.w, room, (kMostCells - axes.w.extent) / axes.w.stride + 1});
    const std::int64_t cells = (windows - 1) * axes.w.stride + axes.w.extent;
    pitch = (cells + axes.w.stride - 1) / axes.w.stride * axes.w.stride;
    // What fits the nearest cache, but few lines are looked at for two bands. Windows that share none read
    // from memory all the time, and stop reading the least with short bands.
    const bool share = plan.kernel.d == 1 && axes.h.kernel > 2 * axes.h.stride && axes.h.extent <= kMostLines;
    const std::int64_t near = (share ? 16 : 2) << 10;
    const std::int64_t shared = share ? axes.h.extent - axes.h.stride : 0;
    const std::int64_t wanted = std::max(near / size / pitch, 4 * shared) / axes.h.stride;
    rows = std::clamp<std::int64_t>(std::min(wanted, kMostCells / pitch), 1, plan.out.h);
    bands = (plan.out.h + rows - 1) / rows;
    rows = (plan.out.h + bands - 1) / bands;
    lines = share && rows > 1 ? (rows - 1) * axes.h.stride + axes.h.extent : 0;
    stretches = (plan.out.w + windows - 1) / windows;
    ahead = prefetch_distance(plan.self.h, size, share ? 1 : axes.h.stride);
  }

 private:
  static constexpr std::int64_t kMostLines = 64;

  // A single row may have any stride; where the next would lie does not matter then.
  static std::int64_t prefetch_distance(std::int64_t row, std::int64_t size, std::int64_t rows) {
    constexpr std::int64_t kBytes = 2048;
    constexpr std::int64_t kFar = std::int64_t{1} << 20;
    if (row <= 0 || row > kFar || rows > kFar) return 0;
    const std::int64_t bytes = row * rows * size;
    return (kBytes + bytes - 1) / bytes * row * rows;
  }
};

// A thread's memory for them, with room for the widest elements; it outlives the call.
struct BandScratch {
  Aligned<std::int64_t> lines;
  Aligned<std::int64_t> cells;
  Aligned<std::int64_t> best;

  void make_room(const BandPlan& plan) {
    grow(lines, plan.lines * plan.pitch + BandPlan::kSlack);
    grow(cells, plan.rows * plan.pitch + BandPlan::kSlack);
    grow(best, plan.rows * plan.pitch + BandPlan::kSlack);
  }
};

}  // namespace cairn::max_pool_values
