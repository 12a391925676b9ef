#pragma once

#include "backend/cuda/launch.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {

// No windows, or no cells.
inline bool is_empty(const Plan& plan) {
  return plan.n * plan.c * plan.unpooled.count() == 0 || plan.pooled.count() == 0;
}

// Of out.
inline bool has_gaps(const Plan& plan) { return !is_dense(plan.out, plan.n, plan.c, plan.unpooled); }

// Without windows there is nothing but zeros.
const char* why_not_zeros(const Plan& plan);
cudaError_t run_zeros(const Plan& plan, const cuda::CudaLaunch& launch);

// A block has whole planes in shared memory.
const char* why_not_planes(const Plan& plan);
cudaError_t run_planes(const Plan& plan, const cuda::CudaLaunch& launch);

// A block has some rows of a plane, and takes the windows over them. Planes where others reach into them are
// repaired.
const char* why_not_boxes(const Plan& plan);
cudaError_t run_boxes(const Plan& plan, const cuda::CudaLaunch& launch);

// The same with boxes of any size, and windows that lie anywhere in memory.
const char* why_not_tiles(const Plan& plan);
cudaError_t run_tiles(const Plan& plan, const cuda::CudaLaunch& launch);

// Everything: a block has a run of a plane's cells, and looks at all windows of the plane.
cudaError_t run_runs(const Plan& plan, const cuda::CudaLaunch& launch);

// The same, of the planes that the kernel before it has marked.
cudaError_t run_repair(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_unpool
