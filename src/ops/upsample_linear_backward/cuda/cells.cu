#include "ops/kit/cuda/resample.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/upsample_linear_backward/cuda/methods.h"

namespace cairn::upsample_linear_backward {

cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch) {
  const Size3 in{plan.d.in, plan.h.in, plan.w.in};
  const std::int64_t count = plan.n * plan.c * in.count();
  if (count == 0) return cudaSuccess;
  const cuda::ResamplePlan resample{
      {plan.d, plan.h, plan.w}, plan.grad_out, plan.grad_input, cuda::Grid<std::uint64_t>(plan.c, in), count};
  if (plan.type == plan.out_type) {
    return cuda::by_type<cuda::FloatOrDoubleTypes>(plan.type, [&]<typename T>(cuda::Tag<T>) {
      return cuda::start_resample_cells<T, T, true>(resample, launch);
    });
  }
  return cuda::by_type<cuda::FloatTypes>(plan.out_type, [&]<typename Out>(cuda::Tag<Out>) {
    return cuda::start_resample_cells<float, Out, true>(resample, launch);
  });
}

}  // namespace cairn::upsample_linear_backward
