#include "ops/max_pool_backward/cpu/candidates.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "hwy/cache_control.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/max_pool_backward/cpu/boxes.h"
#include "ops/max_pool_backward/cpu/channels.h"
#include "ops/max_pool_backward/cpu/geometry.h"
#include "ops/max_pool_backward/cpu/place.h"
#include "ops/max_pool_backward/cpu/row_sums.h"
#include "ops/max_pool_backward/cpu/scatter.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {
namespace {

// Sums in use at a time, in floats: they stay in the second-level cache.
constexpr std::int64_t kSumsInCache = std::int64_t{1} << 17;
// A plane with stray indices is walked once for every box of it, so its boxes are large.
constexpr std::int64_t kStrayBoxCells = std::int64_t{1} << 22;
// Planes are cut for the sake of more threads only while the boxes are larger than this.
constexpr std::int64_t kSmallestBox = std::int64_t{1} << 15;
constexpr std::int64_t kBoxesPerWorker = 4;
constexpr std::int64_t kTaskElements = std::int64_t{1} << 14;

template <typename Body>
void with_scratch(const Body& body) {
  const OfThread<Scratch> scratch;
  body(*scratch);
  // What outgrew the cache is not worth keeping in every thread.
  if (scratch->sums.size() > 8 * kSumsInCache) scratch->sums = {};
}

// The one place where element types are chosen: body gets a null Scatter<T, Index>* to name the type.
template <typename Body>
void with_types(const Plan& plan, const Body& body) {
  const auto with_index = [&]<typename T>() {
    if (plan.index_type == DataType::kInt32) {
      body(static_cast<Scatter<T, std::int32_t>*>(nullptr));
    } else {
      body(static_cast<Scatter<T, std::int64_t>*>(nullptr));
    }
  };
  if (plan.type == DataType::kFloat) return with_index.template operator()<float>();
  if (plan.type == DataType::kFloat16) return with_index.template operator()<Float16>();
  return with_index.template operator()<Bfloat16>();
}

// Calls body(scatter, begin, end) on the workers for ranges of [0, total); each unit of work takes
// `elements`.
template <typename Body>
void run_scatter(const Plan& plan, Workers& workers, bool streaming, std::int64_t total,
                 std::int64_t elements, const Body& body) {
  const std::int64_t grain = std::max<std::int64_t>(kTaskElements / std::max<std::int64_t>(elements, 1), 1);
  with_types(plan, [&]<class ScatterOf>(ScatterOf*) {
    for_each_range(workers, total, grain, 1, [&](std::int64_t begin, std::int64_t end) {
      with_scratch([&](Scratch& scratch) {
        ScatterOf scatter(plan, streaming, scratch);
        for (std::int64_t i = begin; i < end; ++i) body(scatter, i);
      });
      if (streaming) hwy::FlushStream();
    });
  });
}

bool writes_past_cache(const Plan& p) {
  const std::int64_t windows = p.n * p.c * p.out.count();
  return streams_past_cache(windows * (size_of(p.type) + size_of(p.index_type)) +
                            p.n * p.c * p.in.count() * size_of(p.type));
}

// Sums in use at a time for one plane: the slices that a slice of windows reaches, or the rows that a row
// reaches.
std::int64_t sums_in_use(const Plan& p, const Axes& axes) {
  const std::int64_t rows = axes.d.extent > 1 ? p.in.h * std::min(axes.d.extent, p.in.d) : axes.h.extent;
  return p.in.w * rows;
}

// Channels that lie side by side are taken together, as many as the cache has room for.
std::int64_t channels_together(const Plan& p, const Axes& axes) {
  constexpr std::int64_t kFewest = 32;
  const auto all = [&](std::int64_t View5::*axis) {
    return p.grad_output.*axis == 1 && p.indices.*axis == 1 && p.grad_input.*axis == 1;
  };
  if (all(&View5::w) || !all(&View5::c)) return 1;
  const std::int64_t fitting = kSumsInCache / std::max<std::int64_t>(sums_in_use(p, axes), 1);
  return p.c <= fitting ? p.c : std::min(p.c, std::max(fitting / kFewest * kFewest, kFewest));
}

// Boxes no larger than the workers need, and no larger than the cache wants when slices are.
std::int64_t cells_per_box(const Plan& p, const Axes& axes, std::int64_t groups, std::int64_t channels,
                           std::int64_t workers) {
  std::int64_t cells = p.in.count();
  if (workers > 1) {
    const std::int64_t per_plane = (workers * kBoxesPerWorker + groups - 1) / groups;
    cells = std::max(cells / per_plane + 1, kSmallestBox / channels);
  }
  if (sums_in_use(p, axes) * channels > 4 * kSumsInCache) cells = std::min(cells, kSumsInCache / channels);
  return cells;
}

// Computes the planes listed (n * C + c), every window looked at, and reports the first fault among them.
std::optional<IndexFault> scatter_planes(const Plan& plan, const std::vector<std::int64_t>& planes,
                                         Workers& workers) {
  FirstFault faults;
  const Boxes boxes(plan.in, kStrayBoxCells);
  run_scatter(plan, workers, false, static_cast<std::int64_t>(planes.size()) * boxes.count(),
              boxes.cells() + plan.out.count(), [&](auto& scatter, std::int64_t i) {
                const std::int64_t plane = planes[static_cast<std::size_t>(i / boxes.count())];
                scatter.whole({plane / plan.c, plane % plan.c, 1}, boxes[i % boxes.count()], faults);
              });
  return faults.get();
}

// Computes all planes with vectors, groups of `channels` planes at a time. Returns the planes in which an
// index lies outside its own window: those are not right yet.
std::vector<std::int64_t> run_boxes(const Plan& plan, const Axes& axes, std::int64_t channels,
                                    Workers& workers, void (*kernel)(const Plan&, const BoxTask&)) {
  const std::int64_t groups = plan.n * plan.c / channels;
  const Boxes boxes(plan.in,
                    std::max(cells_per_box(plan, axes, groups, channels, workers.count()), plan.in.w));
  const bool streaming = writes_past_cache(plan);
  const auto strays = std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(groups));
  const std::int64_t grain = std::max<std::int64_t>(kTaskElements / (boxes.cells() * channels), 1);
  for_each_range(workers, groups * boxes.count(), grain, 1, [&](std::int64_t begin, std::int64_t end) {
    kernel(plan, {axes, boxes, begin, end, streaming, strays.get()});
  });
  std::vector<std::int64_t> unsettled;
  for (std::int64_t i = 0; i < plan.n * plan.c; ++i) {
    if (strays[static_cast<std::size_t>(i / channels)].load(std::memory_order_relaxed))
      unsettled.push_back(i);
  }
  return unsettled;
}

// Computes all planes, looking only at the windows that can reach a cell. Returns the planes in which an
// index lies outside its own window, or outside its plane: those are not right yet.
std::vector<std::int64_t> scatter_by_geometry(const Plan& plan, const Axes& axes, Workers& workers) {
  const std::int64_t channels = channels_together(plan, axes);
  const std::int64_t groups_per_image = (plan.c + channels - 1) / channels;
  const std::int64_t groups = plan.n * groups_per_image;
  const Boxes boxes(plan.in, cells_per_box(plan, axes, groups, channels, workers.count()));
  const auto group_of = [&](std::int64_t i) -> PlaneGroup {
    const std::int64_t c = i % groups_per_image * channels;
    return {i / groups_per_image, c, std::min(channels, plan.c - c)};
  };
  const auto settled = std::make_unique<std::atomic<std::int64_t>[]>(static_cast<std::size_t>(groups));
  run_scatter(plan, workers, writes_past_cache(plan), groups * boxes.count(),
              (boxes.cells() + plan.out.count() / boxes.count()) * channels,
              [&](auto& scatter, std::int64_t i) {
                const std::int64_t group = i / boxes.count();
                const std::int64_t count = scatter.reachable(group_of(group), boxes[i % boxes.count()]);
                settled[static_cast<std::size_t>(group)].fetch_add(count, std::memory_order_relaxed);
              });
  std::vector<std::int64_t> unsettled;
  for (std::int64_t i = 0; i < groups; ++i) {
    const PlaneGroup group = group_of(i);
    if (settled[static_cast<std::size_t>(i)].load(std::memory_order_relaxed) ==
        plan.out.count() * group.channels) {
      continue;
    }
    for (std::int64_t c = 0; c < group.channels; ++c) unsettled.push_back(group.n * plan.c + group.c + c);
  }
  return unsettled;
}

std::vector<std::int64_t> compute(const Plan& plan, Workers& workers) {
  const Axes axes(plan);
  if (rows_can_be_placed(plan, axes)) return run_boxes(plan, axes, 1, workers, place_rows);
  if (rows_can_be_summed(plan, axes)) return run_boxes(plan, axes, 1, workers, sum_rows);
  if (channels_can_be_summed(plan, axes)) return run_boxes(plan, axes, plan.c, workers, sum_channels);
  return scatter_by_geometry(plan, axes, workers);
}

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers) {
  if (plan.n == 0 || plan.c == 0) return std::nullopt;
  const std::vector<std::int64_t> strays = compute(plan, workers);
  if (strays.empty()) return std::nullopt;
  return scatter_planes(plan, strays, workers);
}

constexpr std::array kCandidates = {candidate<nothing<Plan>, run_on_cpu>("all")};

}  // namespace

constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;

}  // namespace cairn::max_pool_backward
