#include <array>

#include "ops/candidate.h"
#include "ops/cuda_kernels.h"
#include "ops/max_pool/cuda/methods.h"

namespace cairn::max_pool {

CAIRN_CUDA_CANDIDATES(CAIRN_CUDA_ENTRY(channel_tiles), CAIRN_CUDA_ENTRY(channels),
                      CAIRN_CUDA_ENTRY(row_tiles), CAIRN_CUDA_ENTRY(planes), CAIRN_CUDA_ENTRY(columns),
                      CAIRN_CUDA_LAST(windows))

}  // namespace cairn::max_pool
