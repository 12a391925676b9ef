#include <array>

#include "ops/candidate.h"
#include "ops/cuda_kernels.h"
#include "ops/mean_pool/cuda/methods.h"

namespace cairn::mean_pool {

CAIRN_CUDA_CANDIDATES(CAIRN_CUDA_ENTRY(patches), CAIRN_CUDA_ENTRY(channels), CAIRN_CUDA_ENTRY(staged),
                      CAIRN_CUDA_ENTRY(warps), CAIRN_CUDA_ENTRY(planes), CAIRN_CUDA_ENTRY(windows),
                      CAIRN_CUDA_LAST(cells))

}  // namespace cairn::mean_pool
