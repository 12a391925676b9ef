#pragma once

#include "backend/cuda/launch.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {

cudaError_t launch(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_unpool
