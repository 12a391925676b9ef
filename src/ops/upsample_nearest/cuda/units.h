#pragma once

#include "backend/cuda/launch.h"
#include "ops/upsample_nearest/cuda/copy_plan.h"

namespace cairn::upsample_nearest {

// Copies element by element, or packs of 16 bytes along the lanes of this order.
cudaError_t start_units(const Plan& plan, Order order, const cuda::CudaLaunch& launch);
cudaError_t start_packs(const Plan& plan, Order order, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_nearest
