#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/upsample_linear/plan.h"

namespace cairn::upsample_linear {

// Everything: a thread computes a position from its taps.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_linear
