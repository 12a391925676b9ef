#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Little work: indices may point anywhere, a warp looks at all windows of a plane.
CAIRN_CUDA_METHOD(small)

// Windows of stride 1: each marks the cell that its index names, and cells add up who marked them.
CAIRN_CUDA_METHOD(marks)

// Window shapes known at compile time: a thread sums a tile of cells of a pack of channels …
CAIRN_CUDA_METHOD(channel_tiles)

// … or of one plane, rows along W.
CAIRN_CUDA_METHOD(row_tiles)

// A warp sums a box of cells of 32 channels that lie side by side …
CAIRN_CUDA_METHOD(channels)

// … or of one plane: everything.
cudaError_t run_rows(const Plan& plan, const cuda::CudaLaunch& launch);

// The second kernel of all but run_small: sums the planes again whose indices are not near their windows, and
// tells of those outside the plane.
cudaError_t run_repair(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_pool_backward
