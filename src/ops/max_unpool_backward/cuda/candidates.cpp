#include <array>

#include "ops/candidate.h"
#include "ops/cuda_kernels.h"
#include "ops/max_unpool_backward/cuda/methods.h"

namespace cairn::max_unpool_backward {

CAIRN_CUDA_CANDIDATES(CAIRN_CUDA_ENTRY(channels), CAIRN_CUDA_ENTRY(packs), CAIRN_CUDA_ENTRY(dense),
                      CAIRN_CUDA_ENTRY(strided), CAIRN_CUDA_LAST(converted))

}  // namespace cairn::max_unpool_backward
