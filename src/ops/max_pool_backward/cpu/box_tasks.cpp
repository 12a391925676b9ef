#include "ops/max_pool_backward/cpu/box_tasks.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/max_pool_backward/cpu/repair.h"

namespace cairn::max_pool_backward {

bool writes_past_cache(const Plan& p) {
  const std::int64_t windows = p.n * p.c * p.out.count();
  return streams_past_cache(windows * (size_of(p.type) + size_of(p.index_type)) +
                            p.n * p.c * p.in.count() * size_of(p.type));
}

std::int64_t sums_in_use(const Plan& p, const WindowAxes& axes) {
  const std::int64_t rows = axes.d.extent > 1 ? p.in.h * std::min(axes.d.extent, p.in.d) : axes.h.extent;
  return p.in.w * rows;
}

std::int64_t cells_per_box(const Plan& p, const WindowAxes& axes, std::int64_t groups, std::int64_t channels,
                           std::int64_t workers) {
  // Planes are cut for the sake of more threads only while the boxes are larger than this.
  constexpr std::int64_t kSmallestBox = std::int64_t{1} << 15;
  constexpr std::int64_t kBoxesPerWorker = 4;
  std::int64_t cells = p.in.count();
  if (workers > 1) {
    const std::int64_t per_plane = (workers * kBoxesPerWorker + groups - 1) / groups;
    cells = std::max(cells / per_plane + 1, kSmallestBox / channels);
  }
  if (sums_in_use(p, axes) * channels > 4 * kSumsInCache) cells = std::min(cells, kSumsInCache / channels);
  return cells;
}

std::optional<IndexFault> run_boxes(const Plan& plan, std::int64_t channels, Workers& workers,
                                    void (*kernel)(const Plan&, const BoxTask&), bool cuts_rows) {
  constexpr std::int64_t kPartOfRow = std::int64_t{1} << 14;
  if (plan.n == 0 || plan.c == 0) return std::nullopt;
  const WindowAxes axes(plan);
  const std::int64_t groups = plan.n * plan.c / channels;
  const std::int64_t shortest = cuts_rows && plan.in.w > 2 * kPartOfRow ? kPartOfRow : plan.in.w;
  std::int64_t cells = std::max(cells_per_box(plan, axes, groups, channels, workers.count()), shortest);
  if (cells < plan.in.w) cells -= cells % kPartOfRow;
  const Boxes boxes(plan.in, cells);
  const bool streaming = writes_past_cache(plan);
  const auto repair = std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(groups));
  const Units units{.count = groups * boxes.count(), .elements = boxes.cells() * channels};
  for_each_range(workers, units, [&](std::int64_t begin, std::int64_t end) {
    kernel(plan, {axes, boxes, begin, end, streaming, repair.get()});
  });
  std::vector<std::int64_t> planes;
  for (std::int64_t i = 0; i < plan.n * plan.c; ++i) {
    if (repair[static_cast<std::size_t>(i / channels)].load(std::memory_order_relaxed)) planes.push_back(i);
  }
  return repair_planes(plan, planes, workers);
}

}  // namespace cairn::max_pool_backward
