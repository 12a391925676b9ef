#pragma once

#include "ops/upsample_nearest_backward/cuda/sum_plan.cuh"

namespace cairn::upsample_nearest_backward {

// W is regular with this factor and its rows lie in whole packs: a thread sums `Count` neighbouring cells.
template <typename T, int Factor, typename Coord>
__global__ void __launch_bounds__(kThreads) sum_rows(const __grid_constant__ SumPlan<Coord> plan) {
  constexpr int kCount = 16 / sizeof(T);
  cuda::let_next_kernel_come();
  const auto item = thread_number<Coord>();
  if (item >= plan.items) return;
  const Place<Coord> place = Place<Coord>::template of<false>(plan, item);
  cuda::wait_for_kernel_before();
  const T* from = static_cast<const T*>(plan.grad_out) + place.n * plan.from.n + place.c * plan.from.c +
                  place.w * kCount * Factor;
  cuda::Sum<T> sums[kCount] = {};
  const Coord last_d = plan.d.low(place.d + 1);
  const Coord last_h = plan.h.low(place.h + 1);
  for (Coord d = plan.d.low(place.d); d < last_d; ++d) {
    for (Coord h = plan.h.low(place.h); h < last_h; ++h) {
      const T* row = from + d * plan.from.d + h * plan.from.h;
      cuda::Pack<T, kCount> packs[Factor];
#pragma unroll
      for (int i = 0; i < Factor; ++i) packs[i] = cuda::load_pack<T, kCount>(row + i * kCount);
#pragma unroll
      for (int i = 0; i < kCount * Factor; ++i)
        sums[i / Factor] += cuda::widen(packs[i / kCount].at[i % kCount]);
    }
  }
  cuda::Pack<T, kCount> result;
#pragma unroll
  for (int i = 0; i < kCount; ++i) result.at[i] = cuda::narrow<T>(sums[i]);
  cuda::store_pack(static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * plan.to.c +
                       place.d * plan.to.d + place.h * plan.to.h + place.w * kCount,
                   result);
}

}  // namespace cairn::upsample_nearest_backward
