#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values {

// Channels that lie in packs of 16 bytes: a thread looks at one window of a pack.
CAIRN_CUDA_METHOD(channels)

// Windows of two or three along H and W, two apart, rows along W: a thread looks at a few windows side by
// side, row after row, and loads whole packs.
CAIRN_CUDA_METHOD(row_tiles)

// Everything: a thread looks at one window as the definition reads.
cudaError_t run_windows(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_pool_values
