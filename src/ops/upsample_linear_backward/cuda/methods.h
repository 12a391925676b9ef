#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/upsample_linear_backward/plan.h"

namespace cairn::upsample_linear_backward {

// Everything: a thread sums a cell from the positions that reach it.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_linear_backward
