#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// Window shapes known at compile time: a thread looks at a tile of windows of a pack of channels (H200, share
// of the copy bandwidth with it and without: p2-resnet NHWC FLOAT INT32 93 and 70 %, FLOAT16 80 and 57) …
CAIRN_CUDA_METHOD(channel_tiles)

// … or at one window of any shape (p2-nhwc-k5s1 0.0084 ms with it, 0.0216 without).
CAIRN_CUDA_METHOD(channels)

// Window shapes known at compile time, rows along W: a thread looks at a tile of windows (p3-unet FLOAT INT32
// 96 and 33 %, p2-resnet FLOAT16 82 and 15, p2-sppf FLOAT 65 and 6).
CAIRN_CUDA_METHOD(row_tiles)

// Small planes of windows that share few cells: staged in shared memory, a thread looks at one window
// (am2-50to7 FLOAT 86 and 41 %, FLOAT16 58 and 36).
CAIRN_CUDA_METHOD(planes)

// Windows that share few cells, rows along W, as those of adaptive pooling: threads look at columns of cells,
// side by side, then at windows.
CAIRN_CUDA_METHOD(columns)

// Everything: a thread looks at one window as the definition reads.
cudaError_t run_windows(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_pool
