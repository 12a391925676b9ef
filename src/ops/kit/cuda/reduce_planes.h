#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "ops/kit/cuda/reduce.h"
#include "ops/kit/cuda/reduce_planes.cuh"

namespace cairn::cuda {

// A kernel for so many taps along H and W; of rows whose elements lie apart there are fewer.
struct PlanesKernel {
  int taps_h, taps_w;
  Line line;
};
inline constexpr PlanesKernel kPlanesKernels[] = {
    {4, 4, Line::kUnit}, {6, 4, Line::kUnit},    {6, 6, Line::kUnit},
    {8, 8, Line::kUnit}, {4, 4, Line::kStrided}, {8, 8, Line::kStrided},
};

// The first of these, or -1.
inline int planes_kernel(const Resampling& it) {
  const double needed_h = most_taps(it.h, it.backward);
  const double needed_w = most_taps(it.w, it.backward);
  const auto suits = [&](const PlanesKernel& kernel) {
    return (it.from.w == 1) == (kernel.line == Line::kUnit) && needed_h <= kernel.taps_h &&
           needed_w <= kernel.taps_w && kernel.taps_h <= it.sources(it.h) &&
           kernel.taps_w <= it.sources(it.w);
  };
  const auto* found = std::find_if(std::begin(kPlanesKernels), std::end(kPlanesKernels), suits);
  return found == std::end(kPlanesKernels) ? -1 : static_cast<int>(found - std::begin(kPlanesKernels));
}

// How a plane is cut. The rows that a tile's targets need are summed in so many passes of its threads.
struct PlaneTile {
  int columns, groups, rows;

  PlaneTile(const Resampling& it, std::int64_t all_columns, int taps) {
    constexpr int kWidest = 32;
    columns = static_cast<int>(divide_up(all_columns, divide_up(all_columns, kWidest)));
    groups = kReduceThreads / columns;
    const int most_rows = kReducePasses * groups;
    const std::int64_t targets = it.targets(it.h);
    const double each = it.backward ? density(it.h) : 1 / density(it.h);
    int most = 0;  // targets whose windows are no more rows than that
    while (most < groups && std::ceil(most * each) + taps + (is_exact(it.h) ? 0 : 1) <= most_rows) ++most;
    rows = most == 0 ? 0 : static_cast<int>(divide_up(targets, divide_up(targets, most)));
  }
};

inline std::int64_t columns_of(const Resampling& it) {
  return it.targets(it.w) * (it.c > 1 && it.to.c == 1 ? it.c : 1);
}

inline const char* why_not_reduce_planes(const Resampling& it) {
  if (const char* reason = why_not_by_tables(it)) return reason;
  if (it.h.keeps_values() || it.d.keeps_values()) return "not all axes are resampled";
  if (!uses_all_sources(it, it.d)) return "sources may go nowhere";
  if (most_taps(it.d, !it.backward) > 2) return "a source goes to more than 2 targets";
  const int kernel = planes_kernel(it);
  if (kernel < 0) return "a target has more than 8 taps, or there are fewer sources";
  const auto& [taps_h, taps_w, line] = kPlanesKernels[kernel];
  // The outermost cell takes what a scale leaves over, and a tile's rows are not known.
  if (it.h.scale > 0 && it.h.scale * static_cast<double>(it.h.in) != static_cast<double>(it.h.out))
    return "the scale does not give the size";
  if (PlaneTile(it, columns_of(it), taps_h).rows == 0) return "the rows of a target are too many for a tile";
  return why_not_room({{it.sources(it.d), 2}, {it.targets(it.h), taps_h}, {it.targets(it.w), taps_w}});
}

template <typename In, typename Out, bool kBackward, int kAt = 0>
cudaError_t start_reduce_planes(int chosen, const auto& start) {
  if constexpr (kAt < std::size(kPlanesKernels)) {
    constexpr PlanesKernel kKernel = kPlanesKernels[kAt];
    if (chosen != kAt) return start_reduce_planes<In, Out, kBackward, kAt + 1>(chosen, start);
    return start(reduce_planes<In, Out, kKernel.taps_h, kKernel.taps_w, kKernel.line, kBackward>);
  } else {
    return cudaErrorInvalidValue;
  }
}

template <typename In, typename Out, bool kBackward>
cudaError_t run_reduce_planes(const Resampling& it, const CudaLaunch& launch) {
  const int chosen = planes_kernel(it);
  const auto& [taps_h, taps_w, line] = kPlanesKernels[chosen];
  TableMaker tables(launch.scratch->of_tables);
  ReducePlanesPlan plan{};
  plan.d = tables.make(it.d, !kBackward, 2);
  plan.h = tables.make(it.h, kBackward, taps_h);
  plan.w = tables.make(it.w, kBackward, taps_w);
  if (const cudaError_t error = tables.fill(launch.stream); error != cudaSuccess) return error;
  plan.from = it.from.data;
  plan.to = it.to.data;
  plan.from_by = strides_of<int>(it.from);
  plan.to_by = strides_of<int>(it.to);
  plan.sources_d = static_cast<int>(it.sources(it.d));
  plan.targets_d = static_cast<int>(it.targets(it.d));
  plan.targets_h = static_cast<int>(it.targets(it.h));
  plan.channels_in_columns = it.c > 1 && it.to.c == 1;
  plan.columns = static_cast<int>(columns_of(it));
  const PlaneTile tile(it, plan.columns, taps_h);
  plan.tile_columns = tile.columns;
  plan.groups = tile.groups;
  plan.tile_h = tile.rows;
  plan.by_tile_columns = Divider<std::uint32_t>(tile.columns);
  plan.by_channels = Divider<std::uint32_t>(it.c);
  const std::int64_t slices = plan.channels_in_columns ? 1 : it.c;
  const std::int64_t tiles_h = divide_up(plan.targets_h, tile.rows);
  const std::int64_t tiles_w = divide_up(plan.columns, tile.columns);
  const std::int64_t blocks = it.n * slices * tiles_h * tiles_w;
  plan.strip = static_cast<int>(strip_length(plan.targets_d, blocks * kReduceThreads, launch));
  const std::int64_t strips = divide_up(plan.targets_d, plan.strip);
  plan.grid = {slices, Size3{strips, tiles_h, tiles_w}};
  const std::size_t shared = sizeof(float) * 2 * kReducePasses * tile.groups * tile.columns;
  const auto start = [&](auto kernel) {
    return start_kernel(kernel, plan, blocks * strips, kReduceThreads, shared, launch.stream);
  };
  return start_reduce_planes<In, Out, kBackward>(chosen, start);
}

}  // namespace cairn::cuda
