#include <array>

#include "ops/candidate.h"
#include "ops/cuda_kernels.h"
#include "ops/max_pool_backward/cuda/methods.h"

namespace cairn::max_pool_backward {

CAIRN_CUDA_CANDIDATES(CAIRN_CUDA_ENTRY(small), CAIRN_CUDA_ENTRY(zeros), CAIRN_CUDA_ENTRY(marks),
                      CAIRN_CUDA_ENTRY(channel_tiles), CAIRN_CUDA_ENTRY(row_tiles),
                      CAIRN_CUDA_ENTRY(channel_windows), CAIRN_CUDA_ENTRY(channels), CAIRN_CUDA_LAST(rows))

}  // namespace cairn::max_pool_backward
