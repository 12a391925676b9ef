#pragma once

#include "backend/cuda/launch.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {

// A thread has a pack of out.
const char* why_not_packs(const Plan& plan);
cudaError_t run_packs(const Plan& plan, const cuda::CudaLaunch& launch);

// Indices lie as out does, and an index is an offset in its plane of gradOutput.
const char* why_not_dense(const Plan& plan);
cudaError_t run_dense(const Plan& plan, const cuda::CudaLaunch& launch);

// Indices and gradOutput lie anywhere.
const char* why_not_strided(const Plan& plan);
cudaError_t run_strided(const Plan& plan, const cuda::CudaLaunch& launch);

// Everything: out lies anywhere, and may have another type.
cudaError_t run_converted(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_unpool_backward
