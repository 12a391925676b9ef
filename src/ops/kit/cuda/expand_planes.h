#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "ops/kit/cuda/expand_planes.cuh"
#include "ops/kit/cuda/resampling.h"

namespace cairn::cuda {

// How a plane of targets is cut, so that the rows of sources of a tile are no more than its threads sum.
struct ExpandTile {
  int packs, groups, lines, rows;

  explicit ExpandTile(const Resampling& it) {
    constexpr int kWidest = 32;
    const std::int64_t all_packs = it.targets(it.w) / kExpandPlanesPack;
    packs = static_cast<int>(divide_up(all_packs, divide_up(all_packs, kWidest)));
    groups = kExpandPlanesThreads / packs;
    lines = kExpandPlanesThreads / (packs * kExpandPlanesPack);
    const std::int64_t targets = it.targets(it.h);
    const double each = 1 / density(it.h);
    int most = 0;
    while (most < groups * kExpandPlanesRows &&
           std::ceil(most * each) + 2 + (is_exact(it.h) ? 0 : 1) <= kExpandPlanesPasses * lines)
      ++most;
    rows = most == 0 ? 0 : static_cast<int>(divide_up(targets, divide_up(targets, most)));
  }
};

inline const char* why_not_expand_planes(const Resampling& it) {
  if (const char* reason = why_not_by_tables(it)) return reason;
  for (const FilterAxis* axis : {&it.d, &it.h, &it.w}) {
    if (axis->keeps_values() || axis->filter != Filter::kLinear) return "not all axes are resampled linearly";
    if (axis->in < 2 || axis->out < axis->in) return "an axis becomes shorter, or has one source";
    if (axis->scale > 0 && axis->scale * static_cast<double>(axis->in) != static_cast<double>(axis->out))
      return "a scale does not give the size";
  }
  if (it.from.w != 1 || it.to.w != 1) return "neighbours along W lie apart";
  if (it.w.out % kExpandPlanesPack != 0 ||
      !in_packs(it.to.data, it.element, kExpandPlanesPack, {it.to.n, it.to.c, it.to.d, it.to.h}))
    return "rows do not lie in packs";
  if (ExpandTile(it).rows == 0) return "the rows of a target are too many for a tile";
  return why_not_room({{it.d.out, 2}, {it.h.out, 2}, {it.w.out, 2}});
}

template <typename T>
cudaError_t run_expand_planes(const Resampling& it, const CudaLaunch& launch) {
  TableMaker tables(launch.scratch->of_tables);
  ExpandPlanesPlan plan{};
  plan.d = tables.make(it.d, false, 2);
  plan.h = tables.make(it.h, false, 2);
  plan.w = tables.make(it.w, false, 2);
  if (const cudaError_t error = tables.fill(launch.stream); error != cudaSuccess) return error;
  plan.from = it.from.data;
  plan.to = it.to.data;
  plan.from_by = strides_of<int>(it.from);
  plan.to_by = strides_of<int>(it.to);
  plan.sources_d = static_cast<int>(it.d.in);
  plan.targets_d = static_cast<int>(it.d.out);
  plan.targets_h = static_cast<int>(it.h.out);
  plan.packs = static_cast<int>(it.w.out / kExpandPlanesPack);
  const ExpandTile tile(it);
  plan.tile_packs = tile.packs;
  plan.groups = tile.groups;
  plan.lines = tile.lines;
  plan.tile_h = tile.rows;
  plan.by_tile_packs = Divider<std::uint32_t>(tile.packs);
  plan.by_tile_columns = Divider<std::uint32_t>(tile.packs * kExpandPlanesPack);
  const std::int64_t tiles_h = divide_up(plan.targets_h, tile.rows);
  const std::int64_t tiles_w = divide_up(plan.packs, tile.packs);
  const std::int64_t blocks = it.n * it.c * tiles_h * tiles_w;
  plan.strip = static_cast<int>(strip_length(plan.targets_d, blocks * kExpandPlanesThreads, launch));
  const std::int64_t strips = divide_up(plan.targets_d, plan.strip);
  plan.grid = {it.c, Size3{strips, tiles_h, tiles_w}};
  const std::size_t shared =
      sizeof(float) * 2 * kExpandPlanesPasses * tile.lines * tile.packs * kExpandPlanesPack;
  return start_kernel(expand_planes<T>, plan, blocks * strips, kExpandPlanesThreads, shared, launch.stream);
}

}  // namespace cairn::cuda
