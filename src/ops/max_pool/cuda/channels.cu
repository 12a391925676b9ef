#include "ops/kit/cuda/max_pooling/plan.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/max_pool/cuda/channels.cuh"
#include "ops/max_pool/cuda/methods.h"

namespace cairn::max_pool {

const char* why_not_channels(const Plan& plan) { return why_not_packs_of_channels(plan); }

cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  const PoolPlan<int> result = pool_plan<int>(plan, plan.c / kChannels, {1, 1, 1});
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    const auto kernel =
        plan.kernel.w == 3 ? pool_channels<cuda::Format<T>, 3> : pool_channels<cuda::Format<T>, 0>;
    return cuda::start_kernel(kernel, result, cuda::divide_up(result.items, kThreads), kThreads, 0,
                              launch.stream);
  });
}

}  // namespace cairn::max_pool
