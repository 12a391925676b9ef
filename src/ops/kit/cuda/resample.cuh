#pragma once

#include <cstdint>

#include "backend/cuda/launch.h"
#include "common/view.h"
#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/views.h"
#include "ops/kit/taps/position.h"

// Planes resampled by weighted sums, forward and backward.
namespace cairn::cuda {

struct ResamplePlan {
  FilterAxis axes[3];  // D, H, W
  View5 from, to;
  Grid<std::uint64_t> targets;
  std::int64_t count;
};

// The sources of one target along an axis, and what each is multiplied by.
template <typename T, bool kBackward>
class AxisTaps {
 public:
  __device__ AxisTaps(const FilterAxis& axis, std::int64_t target) : axis_(axis), target_(target) {
    sources_ = kBackward ? reaching() : taps::Position(axis, target).cells();
    for (int i = 0; i < kKept; ++i) kept_[i] = i < sources_.size() ? compute(sources_.begin + i) : T{0};
  }

  __device__ const Span& sources() const { return sources_; }
  // 0: no tap.
  __device__ T weight(std::int64_t source) const {
    if (sources_.size() > kKept) return compute(source);
    T weight = 0;
#pragma unroll
    for (int i = 0; i < kKept; ++i) {
      if (source - sources_.begin == i) weight = kept_[i];
    }
    return weight;
  }

 private:
  static constexpr int kKept = 4;

  __device__ T compute(std::int64_t source) const {
    const taps::Position position(axis_, kBackward ? source : target_);
    const std::int64_t cell = kBackward ? target_ : source;
    return position.cells().has(cell) ? static_cast<T>(position.weight(cell)) : T{0};
  }

  // Positions whose cells may have the target among them: they are neighbours.
  __device__ Span reaching() const {
    const auto first = [&](const auto& holds) {
      std::int64_t low = 0;
      std::int64_t high = axis_.out;
      while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (holds(taps::Position(axis_, middle).cells())) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    };
    return {first([&](const Span& cells) { return cells.end > target_; }),
            first([&](const Span& cells) { return cells.begin > target_; })};
  }

  FilterAxis axis_;
  std::int64_t target_;
  Span sources_;
  T kept_[kKept];
};

// A thread for each target: the passes nested in each other, which gives the same bits.
template <typename In, typename Out, bool kBackward>
__global__ void resample_cells(const __grid_constant__ ResamplePlan plan) {
  using T = Sum<In>;
  using Taps = AxisTaps<T, kBackward>;
  let_next_kernel_come();
  const auto item = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (item >= plan.count) return;
  const auto place =
      plan.targets.template place_of<std::int64_t>(static_cast<std::uint64_t>(item), /*slices_last=*/false);
  const Taps along_d(plan.axes[0], place.d);
  const Taps along_h(plan.axes[1], place.h);
  const Taps along_w(plan.axes[2], place.w);
  const T start = kBackward ? T{0} : -T{0};
  wait_for_kernel_before();
  const In* plane =
      static_cast<const In*>(plan.from.data) + place.n * plan.from.n + place.slice * plan.from.c;
  T sum_d = start;
  for (std::int64_t d = along_d.sources().begin; d < along_d.sources().end; ++d) {
    const T weight_d = along_d.weight(d);
    if (weight_d == 0) continue;
    T sum_h = start;
    for (std::int64_t h = along_h.sources().begin; h < along_h.sources().end; ++h) {
      const T weight_h = along_h.weight(h);
      if (weight_h == 0) continue;
      const In* line = plane + d * plan.from.d + h * plan.from.h;
      T sum_w = start;
      for (std::int64_t w = along_w.sources().begin; w < along_w.sources().end; ++w) {
        const T weight_w = along_w.weight(w);
        if (weight_w != 0) sum_w = sum_w + weight_w * widen(line[w * plan.from.w]);
      }
      sum_h = sum_h + weight_h * sum_w;
    }
    sum_d = sum_d + weight_d * sum_h;
  }
  static_cast<Out*>(plan.to.data)[place.n * plan.to.n + place.slice * plan.to.c + place.d * plan.to.d +
                                  place.h * plan.to.h + place.w * plan.to.w] = narrow<Out>(sum_d);
}

template <typename In, typename Out, bool kBackward>
cudaError_t start_resample_cells(const ResamplePlan& plan, const CudaLaunch& launch) {
  constexpr int kThreads = 128;
  return start_kernel(resample_cells<In, Out, kBackward>, plan, divide_up(plan.count, kThreads), kThreads, 0,
                      launch.stream);
}

}  // namespace cairn::cuda
