#pragma once

#include "ops/upsample_nearest_backward/cuda/cells.cuh"
#include "ops/upsample_nearest_backward/cuda/sum_plan.h"

namespace cairn::upsample_nearest_backward {

// Starts sum_cells with the taps along W unrolled where they are few.
template <typename T, int Count, bool ChannelsLast, typename Coord>
cudaError_t start_cells(const SumPlan<Coord>& sums, const cuda::CudaLaunch& launch) {
  if constexpr (sizeof(Coord) == 4) {
    if (sums.w.has_few(1)) return start_sums(sum_cells<T, Count, 1, ChannelsLast, Coord>, sums, launch);
    if (sums.w.has_few(2)) return start_sums(sum_cells<T, Count, 2, ChannelsLast, Coord>, sums, launch);
    if (sums.w.has_few(4)) return start_sums(sum_cells<T, Count, 4, ChannelsLast, Coord>, sums, launch);
  }
  return start_sums(sum_cells<T, Count, 0, ChannelsLast, Coord>, sums, launch);
}

}  // namespace cairn::upsample_nearest_backward
