#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/mean_pool/plan.h"

namespace cairn::mean_pool {

// Windows of 3 or 2 cells a side: a thread sums a patch of neighbours, whose sources are loaded once.
CAIRN_CUDA_METHOD(patches)

// Channels that lie in packs of 16 bytes: a thread sums one window of a pack.
CAIRN_CUDA_METHOD(channels)

// Small planes that are one window each: staged in shared memory.
CAIRN_CUDA_METHOD(staged)

// More than 64 taps: a warp sums a run, two lanes of the sum each thread.
CAIRN_CUDA_METHOD(warps)

// Small planes with windows that begin anywhere: staged in shared memory.
CAIRN_CUDA_METHOD(planes)

// Up to 64 taps: a thread sums one window in 32 bits.
CAIRN_CUDA_METHOD(windows)

// Everything: a thread sums one window as the definition reads.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::mean_pool
