#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values {

// FLOAT, FLOAT16 and BF16, window shapes known at compile time: a thread looks at a tile of windows of a pack
// of channels (H200, m2-resnet NHWC FLOAT 0.066 ms with it, 0.236 without).
CAIRN_CUDA_METHOD(channel_tiles)

// Channels that lie in packs of 16 bytes: a thread looks at one window of a pack.
CAIRN_CUDA_METHOD(channels)

// FLOAT, FLOAT16 and BF16, window shapes known at compile time, rows along W: a thread looks at a tile of
// windows (m2-vgg FLOAT 0.124 and 0.250, m2-sppf FLOAT 0.044 and 1.01).
CAIRN_CUDA_METHOD(row_tiles)

// Windows of two or three along H and W, two apart, rows along W: a thread looks at a few windows side by
// side, row after row, and loads whole packs.
CAIRN_CUDA_METHOD(row_pairs)

// Everything: a thread looks at one window as the definition reads.
cudaError_t run_windows(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_pool_values
