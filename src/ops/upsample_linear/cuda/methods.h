#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/upsample_linear/plan.h"

namespace cairn::upsample_linear {

// Taps from tables that a small kernel makes first; a thread marches along H, or D in 3D.
CAIRN_CUDA_METHOD(march)

// Everything: a thread computes a position from its taps.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_linear
