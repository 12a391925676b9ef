#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/whole_ratio_gather.h"
#include "ops/upsample_linear_backward/cuda/methods.h"
#include "ops/upsample_linear_backward/cuda/resampling.h"

namespace cairn::upsample_linear_backward {

const char* why_not_whole_ratio_lines(const Plan& plan) {
  if (plan.type == DataType::kDouble) return "elements are DOUBLE";
  if (plan.type != plan.out_type) return "gradInput has another type";
  return cuda::why_not_whole_ratio_lines(resampling(plan));
}

cudaError_t run_whole_ratio_lines(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::run_whole_ratio_lines<T>(resampling(plan), launch);
  });
}

}  // namespace cairn::upsample_linear_backward
