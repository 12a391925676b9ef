#include "ops/max_pool_values/cuda/methods.h"
#include "ops/max_pool_values/cuda/plan.h"

namespace cairn::max_pool_values {
namespace {

template <typename Lane>
__global__ void __launch_bounds__(kThreads) pool_windows(const __grid_constant__ PoolPlan<Lane> plan) {
  cuda::let_next_kernel_come();
  const std::uint64_t item = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (item >= plan.items) return;
  const auto place = plan.grid.template place_of<std::int64_t>(item, plan.slices_last);
  cuda::wait_for_kernel_before();
  const Lane best = best_of_window(plan, place.n, place.slice, place.d, place.h, place.w);
  plan.to.slice_of(static_cast<Lane*>(plan.values), place.n,
                   place.slice)[plan.to.place(place.d, place.h, place.w)] = plan.keys.bits(best);
}

}  // namespace

cudaError_t run_windows(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.n * plan.c * plan.out.count() == 0) return cudaSuccess;
  return by_lane(plan, [&]<typename Lane>(cuda::Tag<Lane>) {
    PoolPlan<Lane> result = pool_plan<Lane>(plan, plan.c, plan.out);
    result.slices_last = plan.c > 1 && plan.values.c == 1;
    return start(pool_windows<Lane>, result, launch);
  });
}

}  // namespace cairn::max_pool_values
