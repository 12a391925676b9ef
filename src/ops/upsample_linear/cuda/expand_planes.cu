#include "ops/kit/cuda/expand_planes.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/upsample_linear/cuda/methods.h"
#include "ops/upsample_linear/cuda/resampling.h"

namespace cairn::upsample_linear {

const char* why_not_expand_planes(const Plan& plan) {
  if (plan.type == DataType::kDouble) return "elements are DOUBLE";
  return cuda::why_not_expand_planes(resampling(plan));
}

cudaError_t run_expand_planes(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::run_expand_planes<T>(resampling(plan), launch);
  });
}

}  // namespace cairn::upsample_linear
