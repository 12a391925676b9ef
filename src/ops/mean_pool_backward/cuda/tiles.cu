#include "ops/mean_pool_backward/cuda/methods.h"
#include "ops/mean_pool_backward/cuda/tile_size.h"

namespace cairn::mean_pool_backward {

const char* why_not_tiles(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.grad_input, plan.grad_output)) return reason;
  return cuda::why_not_tiled(plan);
}

cudaError_t run_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_real_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::MeanTilesStart<T>{plan, plan.grad_output, plan.grad_input, launch.stream}.start();
  });
}

}  // namespace cairn::mean_pool_backward
