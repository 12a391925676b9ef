#include "ops/kit/cuda/resample.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/upsample_linear/cuda/methods.h"

namespace cairn::upsample_linear {

cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch) {
  const Size3 out{plan.d.out, plan.h.out, plan.w.out};
  const std::int64_t count = plan.n * plan.c * out.count();
  if (count == 0) return cudaSuccess;
  const cuda::ResamplePlan resample{
      {plan.d, plan.h, plan.w}, plan.self, plan.out, cuda::Grid<std::uint64_t>(plan.c, out), count};
  return cuda::by_type<cuda::FloatOrDoubleTypes>(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::start_resample_cells<T, T, false>(resample, launch);
  });
}

}  // namespace cairn::upsample_linear
