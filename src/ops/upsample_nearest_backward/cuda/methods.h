#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/upsample_nearest_backward/plan.h"

namespace cairn::upsample_nearest_backward {

// Channels are neighbours in memory: a thread sums a cell of a pack of them (H200, n3-ndhwc-c512 0.0080 ms
// with it, 0.0119 without) …
CAIRN_CUDA_METHOD(channel_packs)

// … or of one (n3-ndhwc-c3 0.0091 and 0.0108).
CAIRN_CUDA_METHOD(channels)

// Rows lie in packs, and a thread sums a pack of cells. Each has one position along W (n3-same-w 0.0284 ms
// with it, 0.0347 without) …
CAIRN_CUDA_METHOD(rows_same)

// … or two (n3-vae FLOAT 0.0825 and 0.104, FLOAT16 0.0429 and 0.0519).
CAIRN_CUDA_METHOD(rows_twice)

// … or four: a thread sums the cells of a pack of positions (n1-audio FLOAT 0.306 ms with it, 0.529 without;
// FLOAT16 0.153 and 0.518).
CAIRN_CUDA_METHOD(rows_fourfold)

// A cell has few positions along each axis, of 2-byte elements, or of 4-byte ones in 2D: they go through
// shared memory (n3-odd FLOAT16 0.0785 and 0.1095, n2-odd FLOAT 0.1347 and 0.1809) …
CAIRN_CUDA_METHOD(staged)

// … or are all loaded before the first is added (n3-down2 0.027 ms with it, 0.049 without).
CAIRN_CUDA_METHOD(small_boxes)

// Everything: a thread sums a cell.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::upsample_nearest_backward
