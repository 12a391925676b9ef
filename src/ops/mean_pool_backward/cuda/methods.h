#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/mean_pool_backward/plan.h"

namespace cairn::mean_pool_backward {

// Windows of 3 or 2 cells a side, or side by side: a thread sums a patch of neighbours, whose sources are
// loaded and divided once. H200, share of the copy bandwidth with it and with tiles: a2-vgg FLOAT 94 and 70
// %, FLOAT16 92 and 47; a2-k3s1 86 and 51, 95 and 28; a3-k3s2 87 and 48, 84 and 24.
CAIRN_CUDA_METHOD(patches)

// Channels that lie in packs of 16 bytes: a thread sums one cell of a pack.
CAIRN_CUDA_METHOD(channels)

// Planes of one window each that follow each other: a thread writes packs of 16 bytes of shares.
CAIRN_CUDA_METHOD(spread)

// Small planes of few windows, in which most cells have the same ones: a block computes each sum and each
// kind of row once (g2-50to7 FLOAT 79 % and with tiles 26, FLOAT16 59 and 13; g2-56to7 FLOAT16 78 and with
// patches 60).
CAIRN_CUDA_METHOD(classes)

// Up to 64 windows a cell: a block divides the gradients of a box of cells once, into shared memory
// (g2-50to7 FLOAT 26 % without classes, with cells 1).
CAIRN_CUDA_METHOD(tiles)

// Everything: a thread sums one cell as the definition reads.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::mean_pool_backward
