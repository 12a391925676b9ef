#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "backend/cuda/launch.h"

namespace cairn::cuda {

// Our kernels in a stream overlap at the edges: the blocks of the next are placed as those of the one before
// run out, find their place, and wait there. Older devices start the next after the end anyway.
//
// Every kernel calls let_next_kernel_come() first, and wait_for_kernel_before() before it touches memory.
__device__ inline void let_next_kernel_come() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// In every object file that includes this; launch.h says what for.
namespace {
__global__ void do_nothing() {}
[[maybe_unused]] const ModuleNote kNoted(reinterpret_cast<const void*>(&do_nothing));
}  // namespace

template <typename Plan>
cudaError_t start_kernel(void (*kernel)(Plan), const Plan& plan, std::int64_t blocks, int threads,
                         std::size_t shared_bytes, cudaStream_t stream) {
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(blocks);
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &overlap;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, plan);
}

}  // namespace cairn::cuda
