#include "ops/max_unpool_backward/cuda/gather.cuh"
#include "ops/max_unpool_backward/cuda/methods.h"

namespace cairn::max_unpool_backward {

cudaError_t run_strided(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.n * plan.c * plan.pooled.count() == 0) return cudaSuccess;
  return start_gather<false, false>(plan, launch);
}

}  // namespace cairn::max_unpool_backward
