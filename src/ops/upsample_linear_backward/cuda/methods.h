#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/upsample_linear_backward/plan.h"

namespace cairn::upsample_linear_backward {

// Axes doubled, or taken times 4: the compiler knows the weights, and a thread sums packs of a row.
// H200, t3-unet FLOAT 0.29 ms, reduce_planes 0.50.
CAIRN_CUDA_METHOD(whole_ratio_rows)

// The same where channels are neighbours: a thread has a pack of them.
// H200, b2-fpn NHWC FLOAT 0.086 ms, reduce 0.114.
CAIRN_CUDA_METHOD(whole_ratio_channels)

// W alone doubled, or taken times 4.
// H200, l1-audio FLOAT 0.35 ms, reduce 0.90; FLOAT16 0.19, reduce 0.85.
CAIRN_CUDA_METHOD(whole_ratio_lines)

// Gradients of three axes: rows are summed along W in shared memory, once for all targets that need them.
// H200, t3-odd FLOAT 0.24 ms, march 5.47; FLOAT16 0.22, march 5.40.
CAIRN_CUDA_METHOD(reduce_planes)

// More sources than targets: a thread marches along the sources and adds each to the sums that are open.
// H200, b2-fpn FLOAT 0.110 ms, march 0.163.
CAIRN_CUDA_METHOD(reduce)

// Few taps to a target: a thread marches along the targets of four columns, or eight.
// H200, aa-224 FLOAT 0.145 ms, march 0.233.
CAIRN_CUDA_METHOD(expand)

// Taps from tables that a small kernel makes first; a thread marches along H, or D in 3D.
CAIRN_CUDA_METHOD(march)

// Everything: a thread sums a cell from the positions that reach it.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_linear_backward
