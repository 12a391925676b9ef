#include "ops/kit/cuda/reduce_planes.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/upsample_linear_backward/cuda/methods.h"
#include "ops/upsample_linear_backward/cuda/resampling.h"

namespace cairn::upsample_linear_backward {

const char* why_not_reduce_planes(const Plan& plan) {
  if (plan.type == DataType::kDouble) return "elements are DOUBLE";
  return cuda::why_not_reduce_planes(resampling(plan));
}

cudaError_t run_reduce_planes(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.type == plan.out_type) {
    return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
      return cuda::run_reduce_planes<T, T>(resampling(plan), launch);
    });
  }
  return cuda::by_float_type(plan.out_type, [&]<typename Out>(cuda::Tag<Out>) {
    return cuda::run_reduce_planes<float, Out>(resampling(plan), launch);
  });
}

}  // namespace cairn::upsample_linear_backward
