#pragma once

#include <optional>

#include "backend/cuda/launch.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

struct Started {
  cudaError_t error;
  bool complete;  // no plane is left over
};

// As launch_tiles, for windows of stride 1.
std::optional<Started> launch_marks(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_pool_backward
