#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {

// Channels are neighbours in memory: a thread copies a pack of them (H200, n3-ndhwc-c32 0.012 ms with it,
// 0.025 without) …
CAIRN_CUDA_METHOD(channel_packs)

// … or one (n3-ndhwc-c3 0.0110 and 0.0132).
CAIRN_CUDA_METHOD(channels)

// Rows of values are written in packs. Each source has one position along W (n3-same-w, an eighth of it,
// 0.0059 ms with it, 0.0094 without) …
CAIRN_CUDA_METHOD(rows_same)

// … or four (n1-audio FLOAT16 0.169 and 0.205) …
CAIRN_CUDA_METHOD(rows_fourfold)

// … or at least 1.76, of 2-byte elements (n3-odd FLOAT16 0.0815 and 0.0827) …
CAIRN_CUDA_METHOD(rows_picked)

// … or any number (n3-odd FLOAT 0.156 and 0.364).
CAIRN_CUDA_METHOD(rows)

// Everything: a thread copies one element.
cudaError_t run_units(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_nearest
