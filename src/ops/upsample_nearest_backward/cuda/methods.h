#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/upsample_nearest_backward/plan.h"

namespace cairn::upsample_nearest_backward {

// Channels are neighbours in memory: a thread sums a cell of a pack of them …
CAIRN_CUDA_METHOD(channel_packs)

// … or of one.
CAIRN_CUDA_METHOD(channels)

// Rows lie in packs, and a thread sums a pack of cells. Each has one position along W …
CAIRN_CUDA_METHOD(rows_same)

// … or two.
CAIRN_CUDA_METHOD(rows_twice)

// A cell has few positions along each axis, of 2-byte elements: they go through shared memory …
CAIRN_CUDA_METHOD(staged)

// … or are all loaded before the first is added.
CAIRN_CUDA_METHOD(small_boxes)

// Everything: a thread sums a cell.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_nearest_backward
