#pragma once

#include "ops/upsample_nearest_backward/cuda/sum_plan.cuh"

namespace cairn::upsample_nearest_backward {

// Any sizes and strides. A thread sums a cell of `Count` channels; Taps: no cell has more positions along W,
// or 0 when that is not known.
template <typename T, int Count, int Taps, bool ChannelsLast, typename Coord>
__global__ void __launch_bounds__(kThreads) sum_cells(const __grid_constant__ SumPlan<Coord> plan) {
  constexpr int kRows = 2;  // read at a time
  cuda::let_next_kernel_come();
  const auto item = thread_number<Coord>();
  if (item >= plan.items) return;
  const Place<Coord> place = Place<Coord>::template of<ChannelsLast>(plan, item);
  const Coord first_w = plan.w.low(place.w);
  const Coord taps = plan.w.low(place.w + 1) - first_w;
  const Coord first_h = plan.h.low(place.h);
  const Coord last_h = plan.h.low(place.h + 1);
  const Coord last_d = plan.d.low(place.d + 1);
  cuda::wait_for_kernel_before();
  const T* from = cuda::keep(static_cast<const T*>(plan.grad_out) + place.n * plan.from.n +
                             place.c * Count * plan.from.c + first_w * plan.from.w);
  cuda::Sum<T> sums[Count] = {};
  for (Coord d = plan.d.low(place.d); d < last_d; ++d) {
    const T* row = from + d * plan.from.d + first_h * plan.from.h;
    if constexpr (Taps == 0) {
      for (Coord h = first_h; h < last_h; ++h, row += plan.from.h) {
        for (Coord w = 0; w < taps; ++w) {
          const auto pack = cuda::load_pack<T, Count>(row + w * plan.from.w);
#pragma unroll
          for (int i = 0; i < Count; ++i) sums[i] += cuda::widen(pack.at[i]);
        }
      }
    } else {
      for (Coord h = first_h; h < last_h; h += kRows, row += kRows * plan.from.h) {
        cuda::Pack<T, Count> packs[kRows][Taps];
#pragma unroll
        for (int j = 0; j < kRows * Taps; ++j) {
          packs[j / Taps][j % Taps] =
              cuda::load_pack_if<T, Count>((h + j / Taps < last_h) & (j % Taps < taps),
                                           row + j / Taps * plan.from.h + j % Taps * plan.from.w);
        }
#pragma unroll
        for (int j = 0; j < kRows * Taps; ++j) {
          if (h + j / Taps >= last_h || j % Taps >= taps) continue;
#pragma unroll
          for (int i = 0; i < Count; ++i) sums[i] += cuda::widen(packs[j / Taps][j % Taps].at[i]);
        }
      }
    }
  }
  cuda::Pack<T, Count> result;
#pragma unroll
  for (int i = 0; i < Count; ++i) result.at[i] = cuda::narrow<T>(sums[i]);
  cuda::store_pack(static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * Count * plan.to.c +
                       place.d * plan.to.d + place.h * plan.to.h + place.w * plan.to.w,
                   result);
}

}  // namespace cairn::upsample_nearest_backward
