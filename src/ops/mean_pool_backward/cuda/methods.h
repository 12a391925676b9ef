#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/mean_pool_backward/plan.h"

namespace cairn::mean_pool_backward {

// Windows of 3 or 2 cells a side, or side by side: a thread sums a patch of neighbours, whose sources are
// loaded and divided once. H200, share of the copy bandwidth with it and with tiles: a2-vgg FLOAT 94 and 50
// %, FLOAT16 92 and 38; a2-k3s1 75 and 52, 56 and 35; a3-k3s2 75 and 45, 56 and 30.
CAIRN_CUDA_METHOD(patches)

// Channels that lie in packs of 16 bytes: a thread sums one cell of a pack.
CAIRN_CUDA_METHOD(channels)

// Planes of one window each that follow each other: a thread writes packs of 16 bytes of shares.
CAIRN_CUDA_METHOD(spread)

// Small planes of few windows, in which most cells have the same ones: a block computes each sum once
// (g2-50to7 FLOAT 73 % and with tiles 26, FLOAT16 45 and 13).
CAIRN_CUDA_METHOD(classes)

// Up to 64 windows a cell: a block divides the gradients of a box of cells once, into shared memory
// (g2-50to7 FLOAT 26 % without classes, with cells 1).
CAIRN_CUDA_METHOD(tiles)

// Everything: a thread sums one cell as the definition reads.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::mean_pool_backward
