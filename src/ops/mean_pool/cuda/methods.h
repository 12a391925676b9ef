#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/mean_pool/plan.h"

namespace cairn::mean_pool {

// Everything: a thread sums one window as the definition reads.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::mean_pool
