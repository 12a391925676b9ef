#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {

// A thread has a pack of out.
CAIRN_CUDA_METHOD(packs)

// Indices lie as out does, and an index is an offset in its plane of gradOutput.
CAIRN_CUDA_METHOD(dense)

// Indices and gradOutput lie anywhere.
CAIRN_CUDA_METHOD(strided)

// Everything: out lies anywhere, and may have another type.
cudaError_t run_converted(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_unpool_backward
