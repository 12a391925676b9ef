#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "ops/kit/cuda/reduce.h"
#include "ops/kit/cuda/reduce_planes.cuh"

namespace cairn::cuda {

// A kernel for so many taps along H and W; of rows whose elements lie apart there are fewer. What a thread
// has: rows of targets, and rows of a source plane that it sums.
struct PlanesKernel {
  int taps_h, taps_w;
  Line line;
  int rows, passes;
};
inline constexpr PlanesKernel kPlanesKernels[] = {
    {4, 4, Line::kUnit, 3, 7}, {5, 4, Line::kUnit, 3, 7},    {6, 6, Line::kUnit, 2, 5},
    {8, 8, Line::kUnit, 2, 5}, {4, 4, Line::kStrided, 2, 5}, {8, 8, Line::kStrided, 2, 5},
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

  PlaneTile(const Resampling& it, std::int64_t all_columns, const PlanesKernel& kernel) {
    constexpr int kWidest = 36;
    columns = static_cast<int>(divide_up(all_columns, divide_up(all_columns, kWidest)));
    groups = kReduceThreads / columns;
    const int most_rows = kernel.passes * groups;
    const std::int64_t targets = it.targets(it.h);
    const double each = it.backward ? density(it.h) : 1 / density(it.h);
    int most = 0;  // targets whose windows are no more rows than that
    while (most < kernel.rows * groups &&
           std::ceil(most * each) + kernel.taps_h + (is_exact(it.h) ? 0 : 1) <= most_rows)
      ++most;
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
  const PlanesKernel& chosen = kPlanesKernels[kernel];
  // The outermost cell takes what a scale leaves over, and a tile's rows are not known.
  if (it.h.scale > 0 && it.h.scale * static_cast<double>(it.h.in) != static_cast<double>(it.h.out))
    return "the scale does not give the size";
  if (PlaneTile(it, columns_of(it), chosen).rows == 0) return "the rows of a target are too many for a tile";
  return why_not_room(
      {{it.sources(it.d), 2}, {it.targets(it.h), chosen.taps_h}, {it.targets(it.w), chosen.taps_w}});
}

// Of gradients only: sums start from +0.0.
template <typename In, typename Out, PlanesKernel kKernel>
cudaError_t start_reduce_planes(const Resampling& it, const CudaLaunch& launch) {
  TableMaker tables(launch.scratch->of_tables);
  ReducePlanesPlan plan{};
  plan.d = tables.make(it.d, false, 2);
  plan.h = tables.make(it.h, true, kKernel.taps_h);
  plan.w = tables.make(it.w, true, kKernel.taps_w);
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
  const PlaneTile tile(it, plan.columns, kKernel);
  plan.tile_columns = tile.columns;
  plan.groups = tile.groups;
  plan.tile_h = tile.rows;
  plan.by_tile_columns = Divider<std::uint32_t>(tile.columns);
  plan.by_channels = Divider<std::uint32_t>(it.c);
  const std::int64_t slices = plan.channels_in_columns ? 1 : it.c;
  const std::int64_t tiles_h = divide_up(plan.targets_h, tile.rows);
  const std::int64_t tiles_w = divide_up(plan.columns, tile.columns);
  const std::int64_t blocks = it.n * slices * tiles_h * tiles_w;
  // Half as many threads as others have are enough, since no more fit.
  plan.strip = static_cast<int>(strip_length(plan.targets_d, 2 * blocks * kReduceThreads, launch));
  const std::int64_t strips = divide_up(plan.targets_d, plan.strip);
  plan.grid = {slices, Size3{strips, tiles_h, tiles_w}};
  const std::size_t shared = sizeof(float) * 2 * kKernel.passes * tile.groups * tile.columns;
  return start_kernel(
      reduce_planes<In, Out, kKernel.taps_h, kKernel.taps_w, kKernel.line, kKernel.rows, kKernel.passes>,
      plan, blocks * strips, kReduceThreads, shared, launch.stream);
}

template <typename In, typename Out, int kAt = 0>
cudaError_t run_reduce_planes(const Resampling& it, const CudaLaunch& launch) {
  if constexpr (kAt < std::size(kPlanesKernels)) {
    if (planes_kernel(it) != kAt) return run_reduce_planes<In, Out, kAt + 1>(it, launch);
    return start_reduce_planes<In, Out, kPlanesKernels[kAt]>(it, launch);
  } else {
    return cudaErrorInvalidValue;
  }
}

}  // namespace cairn::cuda
