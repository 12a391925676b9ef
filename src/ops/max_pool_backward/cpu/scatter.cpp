#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "backend/kernel.h"
#include "ops/max_pool_backward/cpu/box_tasks.h"
#include "ops/max_pool_backward/cpu/repair.h"
#include "ops/max_pool_backward/cpu/scatterer.h"
#include "ops/max_pool_backward/cpu/single_taps.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward::scatter {
namespace {

// Channels that lie side by side are taken together, as many as the cache has room for.
std::int64_t channels_together(const Plan& p, const WindowAxes& axes) {
  constexpr std::int64_t kFewest = 32;
  const auto all = [&](std::int64_t View5::*axis) {
    return p.grad_output.*axis == 1 && p.indices.*axis == 1 && p.grad_input.*axis == 1;
  };
  if (all(&View5::w) || !all(&View5::c) || !is_aligned(p.indices, size_of(p.index_type))) return 1;
  const std::int64_t fitting = kSumsInCache / std::max<std::int64_t>(sums_in_use(p, axes), 1);
  return p.c <= fitting ? p.c : std::min(p.c, std::max(fitting / kFewest * kFewest, kFewest));
}

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  if (plan.n == 0 || plan.c == 0) return std::nullopt;
  if (plan.index_type == DataType::kInt8) return place_single_taps(plan, workers), std::nullopt;
  const WindowAxes axes(plan);
  const std::int64_t channels = channels_together(plan, axes);
  const std::int64_t groups_per_image = (plan.c + channels - 1) / channels;
  const std::int64_t groups = plan.n * groups_per_image;
  const Boxes boxes(plan.in, cells_per_box(plan, axes, groups, channels, workers.count()));
  const auto group_of = [&](std::int64_t i) -> PlaneGroup {
    const std::int64_t c = i % groups_per_image * channels;
    return {i / groups_per_image, c, std::min(channels, plan.c - c)};
  };
  const auto accounted = std::make_unique<std::atomic<std::int64_t>[]>(static_cast<std::size_t>(groups));
  run_scatterers(plan, workers, writes_past_cache(plan), groups * boxes.count(),
                 (boxes.cells() + plan.out.count() / boxes.count()) * channels,
                 [&](auto& scatterer, std::int64_t i) {
                   const std::int64_t group = i / boxes.count();
                   const std::int64_t count = scatterer.reachable(group_of(group), boxes[i % boxes.count()]);
                   accounted[static_cast<std::size_t>(group)].fetch_add(count, std::memory_order_relaxed);
                 });
  // Planes with an index outside its own window, or outside its plane, are not right yet.
  std::vector<std::int64_t> planes;
  for (std::int64_t i = 0; i < groups; ++i) {
    const PlaneGroup group = group_of(i);
    const std::int64_t windows = plan.out.count() * group.channels;
    if (accounted[static_cast<std::size_t>(i)].load(std::memory_order_relaxed) == windows) continue;
    for (std::int64_t c = 0; c < group.channels; ++c) planes.push_back(group.n * plan.c + group.c + c);
  }
  return repair_planes(plan, planes, workers);
}

}  // namespace cairn::max_pool_backward::scatter
