#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/expand.cuh"
#include "ops/kit/cuda/resampling.h"

namespace cairn::cuda {

// Weights along the march and W: 2, 4, or 0 where that is not enough.
inline int expand_most(const Resampling& it) {
  const double needed = std::max(most_taps(MarchAxes(it).march, it.backward), most_taps(it.w, it.backward));
  return needed <= 2 ? 2 : needed <= 4 ? 4 : 0;
}

inline const char* why_not_expand(const Resampling& it) {
  if (const char* reason = why_not_by_tables(it)) return reason;
  const MarchAxes axes(it);
  const int most = expand_most(it);
  if (most == 0) return "a target has more than 4 taps";
  if (it.sources(axes.march) < most || it.sources(it.w) < most) return "there are fewer sources than taps";
  const double middle = most_taps(axes.middle, it.backward);
  if (middle == 1 && !axes.middle.keeps_values()) return "an axis of three has cells without taps";
  if (middle > 1 && (it.backward || most != 2 || middle > 2))
    return "a target has more than 2 taps on an axis of three";
  if (middle > 1 && it.sources(axes.middle) < 2) return "there are fewer sources than taps";
  return why_not_room(
      {{it.targets(axes.march), most}, {it.targets(axes.middle), 2}, {it.targets(it.w), most}});
}

// Whether the columns of the targets can be stored in packs of so many.
inline bool stores_packs(const Resampling& it, int element, int count) {
  return it.from.w == 1 && it.to.w == 1 && it.targets(it.w) % count == 0 &&
         in_packs(it.to.data, element, count, {it.to.n, it.to.c, it.to.d, it.to.h});
}

template <typename In, typename Out, bool kBackward, int kMost, int kColumns = kExpandColumns, int kPack = 1>
cudaError_t start_expand(const Resampling& it, const CudaLaunch& launch) {
  const MarchAxes axes(it);
  const int middle = most_taps(axes.middle, kBackward) > 1 ? 2 : 1;
  TableMaker tables(launch.scratch->of_tables);
  ExpandPlan plan{};
  plan.march = tables.make(axes.march, kBackward, kMost);
  plan.middle = tables.make(axes.middle, kBackward, middle);
  plan.w = tables.make(it.w, kBackward, kMost);
  if (const cudaError_t error = tables.fill(launch.stream); error != cudaSuccess) return error;
  plan.from = it.from.data;
  plan.to = it.to.data;
  plan.from_by = march_strides(it.from, axes.flat);
  plan.to_by = march_strides(it.to, axes.flat);
  plan.sources = static_cast<int>(it.sources(axes.march));
  plan.targets = static_cast<int>(it.targets(axes.march));
  plan.packs = static_cast<int>(it.targets(it.w)) / kPack;
  plan.step = static_cast<int>(divide_up(plan.packs, kColumns / kPack));
  const std::int64_t threads = it.n * it.c * it.targets(axes.middle) * plan.step;
  const std::int64_t strip = strip_length(plan.targets, threads, launch);
  plan.strip = static_cast<int>(strip);
  const std::int64_t count = divide_up(plan.targets, strip);
  plan.grid = {it.c, Size3{count, it.targets(axes.middle), plan.step}};
  plan.items = static_cast<int>(threads * count);
  plan.slices_last = it.c > 1 && it.to.c == 1;
  const auto start = [&](auto kernel) {
    return start_kernel(kernel, plan, divide_up(plan.items, kExpandThreads), kExpandThreads, 0,
                        launch.stream);
  };
  const auto with_unit = [&]<bool kUnit>(std::bool_constant<kUnit>) {
    if constexpr (!kBackward && kMost == 2) {
      if (middle == 2) return start(expand_columns<In, Out, 2, 2, kUnit, kBackward, kColumns, kPack>);
    }
    return start(expand_columns<In, Out, 1, kMost, kUnit, kBackward, kColumns, kPack>);
  };
  if constexpr (kPack > 1) return with_unit(std::true_type{});
  return it.from.w == 1 ? with_unit(std::true_type{}) : with_unit(std::false_type{});
}

template <typename In, typename Out, bool kBackward>
cudaError_t run_expand(const Resampling& it, const CudaLaunch& launch) {
  const bool few = expand_most(it) == 2;
  if constexpr (kBackward) {
    // H200, aa-224 and ca-224 FLOAT16 0.108 and 0.202 ms, without packs 0.128 and 0.213.
    if (stores_packs(it, sizeof(Out), 4))
      return few ? start_expand<In, Out, kBackward, 2, 8, 4>(it, launch)
                 : start_expand<In, Out, kBackward, 4, 4, 2>(it, launch);
  }
  return few ? start_expand<In, Out, kBackward, 2>(it, launch)
             : start_expand<In, Out, kBackward, 4>(it, launch);
}

}  // namespace cairn::cuda
