#include "ops/upsample_nearest_backward/cuda/cell_launch.h"
#include "ops/upsample_nearest_backward/cuda/methods.h"

namespace cairn::upsample_nearest_backward {

cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (is_empty(plan)) return cudaSuccess;
  return by_type(plan, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_coordinate(is_narrow(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
      return start_cells<T, 1, false>(sum_plan<Coord>(plan, plan.in.w, plan.c), launch);
    });
  });
}

}  // namespace cairn::upsample_nearest_backward
