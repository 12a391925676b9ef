#pragma once

#include "backend/cuda/launch.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {

cudaError_t launch(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_nearest
