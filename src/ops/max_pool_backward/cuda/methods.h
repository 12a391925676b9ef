#pragma once

#include "backend/cuda/launch.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Little work: indices may point anywhere, a warp looks at all windows of a plane.
const char* why_not_small(const Plan& plan);
cudaError_t run_small(const Plan& plan, const cuda::CudaLaunch& launch);

// Windows of stride 1: each marks the cell that its index names, and cells add up who marked them.
const char* why_not_marks(const Plan& plan);
cudaError_t run_marks(const Plan& plan, const cuda::CudaLaunch& launch);

// Window shapes known at compile time: a thread sums a tile of cells of a pack of channels …
const char* why_not_channel_tiles(const Plan& plan);
cudaError_t run_channel_tiles(const Plan& plan, const cuda::CudaLaunch& launch);

// … or of one plane, rows along W.
const char* why_not_row_tiles(const Plan& plan);
cudaError_t run_row_tiles(const Plan& plan, const cuda::CudaLaunch& launch);

// A warp sums a box of cells of 32 channels that lie side by side …
const char* why_not_channels(const Plan& plan);
cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch);

// … or of one plane: everything.
cudaError_t run_rows(const Plan& plan, const cuda::CudaLaunch& launch);

// The second kernel of all but run_small: sums the planes again whose indices are not near their windows, and
// tells of those outside the plane.
cudaError_t run_repair(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_pool_backward
