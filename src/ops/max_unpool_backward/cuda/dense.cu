#include "ops/max_unpool_backward/cuda/gather.cuh"
#include "ops/max_unpool_backward/cuda/methods.h"

namespace cairn::max_unpool_backward {

const char* why_not_dense(const Plan& plan) {
  const View5& from = plan.grad_output;
  if (plan.n * plan.c * plan.pooled.count() == 0) return "there is nothing to gather";
  if (!cuda::is_dense(plan.indices, plan.n, plan.c, plan.pooled)) return "indices do not lie as out does";
  if (!cuda::is_dense(from, plan.unpooled)) return "planes of gradOutput have gaps";
  const bool even = plan.n == 1 || plan.c == 1 || from.n == plan.c * from.c;
  return even ? nullptr : "planes of gradOutput do not lie at even distances";
}

cudaError_t run_dense(const Plan& plan, const cuda::CudaLaunch& launch) {
  return start_gather<true, false>(plan, launch);
}

}  // namespace cairn::max_unpool_backward
