#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/mean_pool/plan.h"

namespace cairn::mean_pool {

// Windows of 3 or 2 cells a side: a thread sums a patch of neighbours, whose sources are loaded once. H200,
// share of the copy bandwidth with it and without: a2-k3s1 FLOAT 94 and 15 %, FLOAT16 90 and 8; NHWC 84 and
// 40, 78 and 32; a3-k3s2 95 and 29, 88 and 14.
CAIRN_CUDA_METHOD(patches)

// Channels that lie in packs of 16 bytes: a thread sums one window of a pack.
CAIRN_CUDA_METHOD(channels)

// Small planes that are one window each: staged in shared memory.
CAIRN_CUDA_METHOD(staged)

// More than 64 taps: threads of a warp sum a run, each some lanes of the sum: as many as a pack has, or two.
// H200: g3-32to4 FLOAT 90 % in packs and 28 by single taps, FLOAT16 84 and 10.
CAIRN_CUDA_METHOD(warps)

// Small planes: staged in shared memory (g2-50to7 FLOAT 89 and 73 %, FLOAT16 69 and 45; g2-56to7 FLOAT16 78
// and 68).
CAIRN_CUDA_METHOD(planes)

// Up to 64 taps: a thread sums one window in 32 bits.
CAIRN_CUDA_METHOD(windows)

// Everything: a thread sums one window as the definition reads.
cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::mean_pool
