#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/upsample_linear/plan.h"

namespace cairn::upsample_linear {

// More sources than targets: a thread marches along the sources and adds each to the sums that are open.
// H200, aa-224 FLOAT 0.17 ms, march 1.18.
CAIRN_CUDA_METHOD(reduce)

// Every axis becomes 2 or 4 times as long, or W alone: weights are constants, and what a pass gave is
// computed once. H200, t3-unet FLOAT 0.31 ms, expand 0.36; FLOAT16 0.15, expand 0.35; l1-audio FLOAT 0.33,
// march 2.64.
CAIRN_CUDA_METHOD(whole_ratio)

// Three axes become longer: rows are summed along W in shared memory, once for all targets that need them.
// H200, t3-odd FLOAT 0.172 ms, expand 0.183; FLOAT16 0.112, expand 0.169.
CAIRN_CUDA_METHOD(expand_planes)

// Few taps to a target: a thread marches along the targets of four columns.
// H200, t3-unet FLOAT 0.36 ms, march 0.75.
CAIRN_CUDA_METHOD(expand)

// Taps from tables that a small kernel makes first; a thread marches along H, or D in 3D.
CAIRN_CUDA_METHOD(march)

// Everything: a thread computes a position from its taps.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_linear
