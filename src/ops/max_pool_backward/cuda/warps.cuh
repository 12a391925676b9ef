#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/views.h"

namespace cairn::max_pool_backward {

inline constexpr int kWarp = 32;
inline constexpr int kWarpsPerBlock = 4;
inline constexpr int kThreads = kWarp * kWarpsPerBlock;
inline constexpr unsigned kAllLanes = 0xffffffffU;

// The warp's own sums in the block's shared memory, zero yet.
__device__ __forceinline__ float* zero_sums(float4* shared, int floats_per_warp) {
  float* sums = reinterpret_cast<float*>(shared) + threadIdx.x / kWarp * floats_per_warp;
  for (int i = threadIdx.x % kWarp; i < floats_per_warp; i += kWarp) sums[i] = 0.0F;
  __syncwarp();
  return sums;
}

// A warp for each item of the plan, but no more blocks than that; then a warp takes several.
template <typename KernelPlan>
cudaError_t start_warps(void (*kernel)(KernelPlan), const KernelPlan& plan, int shared_floats,
                        const cuda::CudaLaunch& launch, std::int64_t most_blocks = INT64_MAX) {
  const std::int64_t blocks = cuda::divide_up(static_cast<std::int64_t>(plan.items), kWarpsPerBlock);
  return cuda::start_kernel(kernel, plan, std::min(blocks, most_blocks), kThreads,
                            static_cast<std::size_t>(shared_floats) * sizeof(float), launch.stream);
}

}  // namespace cairn::max_pool_backward
