#include "ops/kit/cuda/max_pooling/plan.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/ones_mask.h"
#include "ops/max_pool/cuda/methods.h"

namespace cairn::max_pool {

using namespace max_pooling;
namespace {

cudaError_t fill_mask(const Plan& plan, const cuda::CudaLaunch& launch) {
  const OnesMask mask(plan.n, plan.c, plan.out);
  return cudaMemset2DAsync(plan.indices.data, static_cast<std::size_t>(mask.pitch), 0xFF,
                           static_cast<std::size_t>(mask.set), static_cast<std::size_t>(mask.blocks),
                           launch.stream);
}

}  // namespace

cudaError_t run_windows(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.n * plan.c * plan.out.count() == 0) return cudaSuccess;
  if (plan.index_type == DataType::kInt8) {
    if (const cudaError_t error = fill_mask(plan, launch); error != cudaSuccess) return error;
  }
  return cuda::by_real_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_coordinate(fits_int(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
      PoolPlan<Coord> result = pool_plan<Coord>(plan, plan.c, {1, 1, 1});
      result.slices_last = plan.c > 1 && plan.values.c == 1;
      return cuda::start_kernel(pool_windows<cuda::Format<T>, Coord>, result,
                                cuda::divide_up(result.items, kThreads), kThreads, 0, launch.stream);
    });
  });
}

}  // namespace cairn::max_pool
