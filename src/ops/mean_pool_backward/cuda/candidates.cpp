#include <array>

#include "ops/candidate.h"
#include "ops/cuda_kernels.h"
#include "ops/mean_pool_backward/cuda/methods.h"

namespace cairn::mean_pool_backward {

CAIRN_CUDA_CANDIDATES(CAIRN_CUDA_ENTRY(spread), CAIRN_CUDA_ENTRY(classes), CAIRN_CUDA_ENTRY(patches),
                      CAIRN_CUDA_ENTRY(channels), CAIRN_CUDA_ENTRY(tiles), CAIRN_CUDA_LAST(cells))

}  // namespace cairn::mean_pool_backward
