#include "ops/kit/cuda/mean_patches.h"
#include "ops/mean_pool/cuda/methods.h"

namespace cairn::mean_pool {

using cuda::MeanForward;

const char* why_not_patches(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.self, plan.values)) return reason;
  if (plan.type == DataType::kDouble) return "sums are in double";
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::why_not_patches<T, MeanForward>(plan, plan.self, plan.values);
  });
}

cudaError_t run_patches(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::run_patches<T, MeanForward>(plan, plan.self, plan.values, launch.stream);
  });
}

}  // namespace cairn::mean_pool
