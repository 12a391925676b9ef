#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {

// No windows, or no cells.
inline bool is_empty(const Plan& plan) {
  return plan.n * plan.c * plan.unpooled.count() == 0 || plan.pooled.count() == 0;
}

// Of out.
inline bool has_gaps(const Plan& plan) { return !is_dense(plan.out, plan.n, plan.c, plan.unpooled); }

// Without windows there is nothing but zeros.
CAIRN_CUDA_METHOD(zeros)

// Channels last: a thread has the cells of two windows, and neighbours have neighbouring channels. H200,
// u2-segnet NHWC, FLOAT 0.091 ms with it, 0.94 without.
CAIRN_CUDA_METHOD(channels)

// A block has whole planes in shared memory. H200: u2-2x2 0.017 ms with it, 5.8 without; u2-layer 0.0065 and
// 0.0108.
CAIRN_CUDA_METHOD(planes)

// Windows of two by two cells in rows of pairs: each writes its own cells, from registers. Planes where one
// has its cell elsewhere are repaired. H200, u2-segnet, share of the copy bandwidth with it and without:
// FLOAT 94 and 91 %, FLOAT16 96 and 84, INT8 91 and 65.
CAIRN_CUDA_METHOD(pairs)

// A block has some rows of a plane, and takes the windows over them. Planes where others reach into them are
// repaired. H200, u3-segnet, share of the copy bandwidth with it and without: FLOAT 91 and 64 %, INT8 82
// and 41.
CAIRN_CUDA_METHOD(boxes)

// The same with boxes of any size, and windows that lie anywhere in memory (u2-transposed-out 0.070 ms with
// it, 0.133 without).
CAIRN_CUDA_METHOD(tiles)

// Everything: a block has a run of a plane's cells, and looks at all windows of the plane.
cudaError_t run_runs(const Plan& plan, const cuda::CudaLaunch& launch);

// The same, of the planes that the kernel before it has marked.
cudaError_t run_repair(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_unpool
