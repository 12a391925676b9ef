#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cuda/march.cuh"
#include "ops/kit/cuda/resampling.h"

namespace cairn::cuda {

inline constexpr int kMostTaps[] = {4, 24};

// Weights that a thread has room for along the march and W, or 0.
inline int march_most(const Resampling& it) {
  const double needed = std::max(most_taps(MarchAxes(it).march, it.backward), most_taps(it.w, it.backward));
  for (const int most : kMostTaps) {
    if (needed <= most) return most;
  }
  return 0;
}

inline const char* why_not_march(const Resampling& it) {
  if (const char* reason = why_not_by_tables(it)) return reason;
  const int most = march_most(it);
  const MarchAxes axes(it);
  const double middle = most_taps(axes.middle, it.backward);
  if (most == 0 || middle > kMostTaps[1]) return "a target has more than 24 taps";
  return why_not_room({{it.targets(axes.march), most},
                       {it.targets(axes.middle), static_cast<std::int64_t>(middle)},
                       {it.targets(it.w), most}});
}

template <typename In, typename Out, bool kBackward>
cudaError_t run_march(const Resampling& it, const CudaLaunch& launch) {
  const int most = march_most(it);
  const MarchAxes axes(it);
  TableMaker tables(launch.scratch->of_tables);
  MarchPlan plan{};
  plan.march = tables.make(axes.march, kBackward, most);
  plan.middle = tables.make(axes.middle, kBackward, static_cast<int>(most_taps(axes.middle, kBackward)));
  plan.w = tables.make(it.w, kBackward, most);
  if (const cudaError_t error = tables.fill(launch.stream); error != cudaSuccess) return error;
  plan.from = it.from.data;
  plan.to = it.to.data;
  plan.from_by = march_strides(it.from, axes.flat);
  plan.to_by = march_strides(it.to, axes.flat);
  plan.targets = static_cast<int>(it.targets(axes.march));
  const std::int64_t columns = it.n * it.c * it.targets(axes.middle) * it.targets(it.w);
  const std::int64_t strip = strip_length(plan.targets, columns, launch);
  plan.strip = static_cast<int>(strip);
  const std::int64_t count = divide_up(plan.targets, strip);
  plan.grid = {it.c, Size3{count, it.targets(axes.middle), it.targets(it.w)}};
  plan.items = static_cast<int>(columns * count);
  plan.slices_last = it.c > 1 && it.to.c == 1;
  const auto start = [&](auto kernel) {
    return start_kernel(kernel, plan, divide_up(plan.items, kMarchThreads), kMarchThreads, 0, launch.stream);
  };
  return most == 4 ? start(march_planes<In, Out, 4, kBackward>) : start(march_planes<In, Out, 24, kBackward>);
}

}  // namespace cairn::cuda
