#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/mean_pool_backward/plan.h"

namespace cairn::mean_pool_backward {

// Everything: a thread sums one cell as the definition reads.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::mean_pool_backward
