#pragma once

#include <cuda_runtime.h>

namespace cairn::cuda {

// A kernel and its sequel: the sequel's blocks may be placed while the first still runs, and wait there for its end
// and its writes. Older devices start the sequel after the end anyway.
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

}  // namespace cairn::cuda
