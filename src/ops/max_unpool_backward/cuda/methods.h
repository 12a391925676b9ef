#pragma once

#include "backend/cuda/launch.h"
#include "ops/candidate.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {

// Channels last: neighbours have neighbouring channels. H200, u2-segnet NHWC, FLOAT 0.084 ms with it, 0.36
// without.
CAIRN_CUDA_METHOD(channels)

// A thread has a pack of out, of 1 or 2 bytes an element. H200, u3-segnet, share of the copy bandwidth with
// it and without: INT8 94 and 73 %, FLOAT16 97 and 86.
CAIRN_CUDA_METHOD(packs)

// Indices lie as out does, and an index is an offset in its plane of gradOutput. FLOAT reaches 97 % of the
// copy bandwidth, in packs 89.
CAIRN_CUDA_METHOD(dense)

// Indices and gradOutput lie anywhere (u2-transposed 0.0078 ms with it, 0.0114 without).
CAIRN_CUDA_METHOD(strided)

// Everything: out lies anywhere, and may have another type.
cudaError_t run_converted(const Plan& plan, const cuda::CudaLaunch& launch);

}  // namespace cairn::max_unpool_backward
