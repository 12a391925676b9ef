#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/march_strides.h"
#include "ops/kit/cuda/tap_table.cuh"

// Planes resampled by weighted sums, forward and backward. A thread has one place along W and the middle axis
// and marches along the third: what it computed of a source stays in registers until no target wants it any
// more.
namespace cairn::cuda {

inline constexpr int kMarchThreads = 256;

struct MarchPlan {
  const void* from;
  void* to;
  AxisTable march, middle, w;
  MarchStrides from_by, to_by;
  Grid<std::uint32_t> grid;  // strips along the march, the middle axis, W
  int items;
  int targets;  // along the march
  int strip;    // of them
  bool slices_last;
};

// What is added for a tap that is not there is -0.0 * +0.0, which changes no sum.
template <typename In>
__device__ float tap_product(float weight, const In* from) {
  const In nothing = narrow<In>(0.0F);
  return weight * widen(load_pack_or<In, 1>(nothing, weight != 0.0F, from).at[0]);
}

// Along W: kMost weights in registers, or any number from the table.
template <typename In, int kMost, bool kBackward>
struct LineSum {
  static constexpr bool kKept = kMost <= 8;
  float kept[kKept ? kMost : 1];
  const float* weights;
  int most;
  int step;

  __device__ LineSum(const AxisTable& table, int target, int stride)
      : weights(table.weights + static_cast<std::int64_t>(target) * table.most),
        most(table.most),
        step(stride) {
    if constexpr (kKept) {
#pragma unroll
      for (int i = 0; i < kMost; ++i) kept[i] = weights[i];
    }
  }
  __device__ float operator()(const In* line) const {
    float sum = kBackward ? 0.0F : -0.0F;
    if constexpr (kKept) {
#pragma unroll
      for (int i = 0; i < kMost; ++i) sum += tap_product(kept[i], line + i * step);
    } else {
      for (int i = 0; i < most; ++i)
        sum += tap_product(weights[i], line + static_cast<std::int64_t>(i) * step);
    }
    return sum;
  }
};

template <typename In, typename Out, int kMost, bool kBackward>
__global__ void __launch_bounds__(kMarchThreads) march_planes(const __grid_constant__ MarchPlan plan) {
  constexpr float kStart = kBackward ? 0.0F : -0.0F;
  let_next_kernel_come();
  const auto item = static_cast<int>(blockIdx.x * kMarchThreads + threadIdx.x);
  if (item >= plan.items) return;
  const Place<int> place = plan.grid.place_of<int>(static_cast<std::uint32_t>(item), plan.slices_last);
  wait_for_kernel_before();
  const LineSum<In, kMost, kBackward> sum_line(plan.w, place.w, plan.from_by.w);
  const int most_middle = plan.middle.most;
  const float* middle = plan.middle.weights + static_cast<std::int64_t>(place.h) * most_middle;
  // Before the tensor, maybe: what is not there has no weight.
  const In* from =
      keep(static_cast<const In*>(plan.from) + place.n * plan.from_by.n + place.slice * plan.from_by.c +
           static_cast<std::int64_t>(plan.middle.ends[place.h] - most_middle) * plan.from_by.middle +
           static_cast<std::int64_t>(plan.w.ends[place.w] - plan.w.most) * plan.from_by.w);
  Out* to = static_cast<Out*>(plan.to) + place.n * plan.to_by.n + place.slice * plan.to_by.c +
            static_cast<std::int64_t>(place.h) * plan.to_by.middle +
            static_cast<std::int64_t>(place.w) * plan.to_by.w;
  const auto sum_plane = [&](int source) {
    float sum = kStart;
    const In* line = from + static_cast<std::int64_t>(source) * plan.from_by.march;
    for (int i = 0; i < most_middle; ++i, line += plan.from_by.middle) {
      const float weight = middle[i];
      if (weight != 0.0F) sum += weight * sum_line(line);
    }
    return sum;
  };
  float sums[kMost];  // of the sources before `next`
  const int first = place.d * plan.strip;
  const int last = min(first + plan.strip, plan.targets);
  int next = INT32_MIN;
  for (int target = first; target < last; ++target) {
    const int end = plan.march.ends[target];
    next = max(next, end - kMost);
    for (; next < end; ++next) {
#pragma unroll
      for (int i = 0; i + 1 < kMost; ++i) sums[i] = sums[i + 1];
      sums[kMost - 1] = next < 0 ? 0.0F : sum_plane(next);
    }
    const float* weights = plan.march.weights + static_cast<std::int64_t>(target) * kMost;
    float sum = kStart;
#pragma unroll
    for (int i = 0; i < kMost; ++i) {
      const float weight = weights[i];
      sum += weight != 0.0F ? weight * sums[i] : -0.0F;
    }
    to[static_cast<std::int64_t>(target) * plan.to_by.march] = narrow<Out>(sum);
  }
}

}  // namespace cairn::cuda
