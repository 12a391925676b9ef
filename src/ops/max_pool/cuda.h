#pragma once

#include "backend/cuda/launch.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

cudaError_t launch(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_pool
