#include "ops/kit/cuda/mean_patches.h"
#include "ops/mean_pool_backward/cuda/methods.h"

namespace cairn::mean_pool_backward {

using cuda::MeanBackward;

const char* why_not_patches(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.grad_input, plan.grad_output)) return reason;
  if (plan.type == DataType::kDouble) return "sums are in double";
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::why_not_patches<T, MeanBackward>(plan, plan.grad_output, plan.grad_input);
  });
}

cudaError_t run_patches(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::run_patches<T, MeanBackward>(plan, plan.grad_output, plan.grad_input, launch.stream);
  });
}

}  // namespace cairn::mean_pool_backward
