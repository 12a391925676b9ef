#pragma once

#include "backend/cuda/launch.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// Window shapes known at compile time: a thread looks at a tile of windows of a pack of channels …
const char* why_not_channel_tiles(const Plan& plan);
cudaError_t run_channel_tiles(const Plan& plan, const cuda::CudaLaunch& launch);

// … or at one window of any shape.
const char* why_not_channels(const Plan& plan);
cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch);

// Window shapes known at compile time, rows along W: a thread looks at a tile of windows.
const char* why_not_row_tiles(const Plan& plan);
cudaError_t run_row_tiles(const Plan& plan, const cuda::CudaLaunch& launch);

// Everything: a thread looks at one window as the definition reads.
cudaError_t run_windows(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_pool
