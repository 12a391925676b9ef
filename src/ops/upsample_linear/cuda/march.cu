#include "ops/kit/cuda/march.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/upsample_linear/cuda/methods.h"

namespace cairn::upsample_linear {
namespace {

cuda::Resampling resampling(const Plan& plan) {
  return {plan.n, plan.c, plan.d, plan.h, plan.w, plan.self, plan.out, false};
}

}  // namespace

const char* why_not_march(const Plan& plan) {
  if (plan.type == DataType::kDouble) return "elements are DOUBLE";
  return cuda::why_not_march(resampling(plan));
}

cudaError_t run_march(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::run_march<T, T, false>(resampling(plan), launch);
  });
}

}  // namespace cairn::upsample_linear
