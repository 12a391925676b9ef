#pragma once

#include <cstring>

#include "ops/upsample_nearest/cuda/copies.cuh"

namespace cairn::upsample_nearest {

// Rows of values in packs of 16 bytes. Factor: positions of each source along the row, or 0 for any number.
template <typename T, int Factor, int Steps, Along Axis>
__global__ void __launch_bounds__(kThreads) widen_rows(const __grid_constant__ CopyPlan<int> plan) {
  constexpr int kCount = 16 / sizeof(T);
  cuda::let_next_kernel_come();
  const int item = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (item >= plan.items) return;
  const Place<int> place = Place<int>::of<Steps>(plan, item);
  const int first = place.lane * kCount;
  const T* from = static_cast<const T*>(plan.self) + place.from;
  T* to = static_cast<T*>(plan.values) + place.to + first;
  cuda::wait_for_kernel_before();
  if constexpr (Factor == 0) {
    int source[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) source[i] = plan.lane.source(first + i);
    write_packs<Axis, Steps>(plan.step, place.step, from, to, [&source](const T* row, uint4& words) {
      cuda::Pack<T, kCount> pack;
#pragma unroll
      for (int i = 0; i < kCount; ++i) pack.at[i] = row[source[i]];
      memcpy(&words, &pack, sizeof(words));
    });
  } else {
    constexpr int kSources = kCount / Factor;
    write_packs<Axis, Steps>(plan.step, place.step, from + place.lane * kSources, to,
                             [](const T* row, uint4& words) {
                               const auto some = cuda::load_pack<T, kSources>(row);
                               cuda::Pack<T, kCount> pack;
#pragma unroll
                               for (int i = 0; i < kCount; ++i) pack.at[i] = some.at[i / Factor];
                               memcpy(&words, &pack, sizeof(words));
                             });
  }
}

}  // namespace cairn::upsample_nearest
