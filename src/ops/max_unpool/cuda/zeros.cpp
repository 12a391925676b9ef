#include "ops/max_unpool/cuda/methods.h"

namespace cairn::max_unpool {

const char* why_not_zeros(const Plan& plan) {
  if (!is_empty(plan)) return "there are windows";
  return has_gaps(plan) ? "out has gaps" : nullptr;
}

cudaError_t run_zeros(const Plan& plan, const cuda::CudaLaunch& launch) {
  const auto cells = static_cast<std::size_t>(plan.n * plan.c * plan.unpooled.count());
  if (cells == 0) return cudaSuccess;
  return cudaMemsetAsync(plan.out.data, 0, cells * static_cast<std::size_t>(size_of(plan.type)),
                         launch.stream);
}

}  // namespace cairn::max_unpool
