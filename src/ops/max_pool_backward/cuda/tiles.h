#pragma once

#include <optional>

#include "backend/cuda/launch.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Starts the kernel made for this window shape, types and layout; none when there is none. `plan` has strides
// of 0 on axes of one element. Planes with stray indices are left over.
std::optional<cudaError_t> launch_tiles(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_pool_backward
