#pragma once

#include "backend/cuda/launch.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {

cudaError_t launch(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_unpool_backward
