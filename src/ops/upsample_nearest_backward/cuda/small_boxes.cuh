#pragma once

#include "ops/upsample_nearest_backward/cuda/sum_plan.cuh"

namespace cairn::upsample_nearest_backward {

inline constexpr int kCells = 4;  // of a thread

// Few positions along each axis, rows of neighbours: all of a cell are loaded before the first is added. A
// thread sums `kCells` cells that follow each other along H.
template <typename T, int Taps>
__global__ void __launch_bounds__(kThreads) sum_small_boxes(const __grid_constant__ SumPlan<int> plan) {
  cuda::let_next_kernel_come();
  const int item = thread_number<int>();
  if (item >= plan.items) return;
  const Place<int> place = Place<int>::of<false>(plan, item);
  const int first_d = plan.d.low_of_few(place.d);
  const int first_w = plan.w.low_of_few(place.w);
  const int depth = plan.d.low_of_few(place.d + 1) - first_d;
  const int width = plan.w.low_of_few(place.w + 1) - first_w;
  T* to = static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * plan.to.c + place.d * plan.to.d +
          place.w * plan.to.w;
  cuda::wait_for_kernel_before();
  const T* from = cuda::keep(static_cast<const T*>(plan.grad_out) + place.n * plan.from.n +
                             place.c * plan.from.c + first_d * plan.from.d + first_w);
  const int last = min(plan.h.in, (place.h + 1) * kCells);
  int first_h = plan.h.low_of_few(place.h * kCells);
#pragma unroll 1
  for (int h = place.h * kCells; h < last; ++h) {
    const int next_h = plan.h.low_of_few(h + 1);
    T values[kSmall][kSmall][Taps];
#pragma unroll
    for (int z = 0; z < kSmall; ++z) {
      if (z >= depth) break;
#pragma unroll
      for (int y = 0; y < kSmall; ++y) {
        const T* row = from + (z * plan.from.d + (first_h + y) * plan.from.h);
#pragma unroll
        for (int x = 0; x < Taps; ++x)
          values[z][y][x] = cuda::load_if((first_h + y < next_h) & (x < width), row + x);
      }
    }
    // A position that is not there adds +0.0, which changes nothing: no sum that starts from +0.0 is ever
    // -0.0.
    cuda::Sum<T> sum = 0;
#pragma unroll
    for (int z = 0; z < kSmall; ++z) {
      if (z >= depth) break;
#pragma unroll
      for (int y = 0; y < kSmall; ++y) {
#pragma unroll
        for (int x = 0; x < Taps; ++x) sum += cuda::widen(values[z][y][x]);
      }
    }
    to[h * plan.to.h] = cuda::narrow<T>(sum);
    first_h = next_h;
  }
}

}  // namespace cairn::upsample_nearest_backward
