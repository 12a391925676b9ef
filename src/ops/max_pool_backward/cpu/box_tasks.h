#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "backend/kernel.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool_backward/cpu/boxes.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Sums in use at a time, in floats: they stay in the second-level cache.
inline constexpr std::int64_t kSumsInCache = std::int64_t{1} << 17;
// Elements that make a task worth a thread.
inline constexpr std::int64_t kTaskElements = std::int64_t{1} << 14;

// True if the call leaves nothing useful of its output in the cache.
bool writes_past_cache(const Plan& plan);

// Sums in use at a time for one plane: the slices that a slice of windows reaches, or the rows that a row
// reaches.
std::int64_t sums_in_use(const Plan& plan, const WindowAxes& axes);

// Boxes no larger than the workers need, and no larger than the cache wants when slices are. Planes come in
// `groups` of `channels`.
std::int64_t cells_per_box(const Plan& plan, const WindowAxes& axes, std::int64_t groups,
                           std::int64_t channels, std::int64_t workers);

// Boxes [begin, end) of all groups of planes, one group after the other.
struct BoxTask {
  const WindowAxes& axes;
  const Boxes& boxes;
  std::int64_t begin;
  std::int64_t end;
  bool streaming;
  std::atomic<bool>* repair;  // set for a group with a stray index: it is not right yet
};

// Computes the boxes of a task, box(group, box) each; false tells of a stray index.
template <typename Box>
void for_each_box(const BoxTask& task, const Box& box) {
  for (std::int64_t i = task.begin; i < task.end; ++i) {
    const std::int64_t group = i / task.boxes.count();
    if (!box(group, task.boxes[i % task.boxes.count()]))
      task.repair[group].store(true, std::memory_order_relaxed);
  }
}

// Computes all planes with vectors, groups of `channels` planes at a time, and repairs those with a stray
// index: one that lies outside its own window. Where the kernel `cuts_rows`, a box may be a part of a long
// row that begins at an even cell.
std::optional<IndexFault> run_boxes(const Plan& plan, std::int64_t channels, Workers& workers,
                                    void (*kernel)(const Plan&, const BoxTask&), bool cuts_rows = false);

}  // namespace cairn::max_pool_backward
