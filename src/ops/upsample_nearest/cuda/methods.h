#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {

// Channels are neighbours in memory: a thread copies a pack of them …
CAIRN_CUDA_METHOD(channel_packs)

// … or one.
CAIRN_CUDA_METHOD(channels)

// Rows of values are written in packs. Each source has one position along W …
CAIRN_CUDA_METHOD(rows_same)

// … or two …
CAIRN_CUDA_METHOD(rows_twice)

// … or at least 1.76, of 2-byte elements …
CAIRN_CUDA_METHOD(rows_picked)

// … or any number.
CAIRN_CUDA_METHOD(rows)

// Everything: a thread copies one element.
cudaError_t run_units(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_nearest
