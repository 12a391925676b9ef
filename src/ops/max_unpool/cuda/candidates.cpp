#include <array>

#include "ops/candidate.h"
#include "ops/cuda_kernels.h"
#include "ops/max_unpool/cuda/methods.h"

namespace cairn::max_unpool {

CAIRN_CUDA_CANDIDATES(CAIRN_CUDA_ENTRY(zeros), CAIRN_CUDA_ENTRY(channels), CAIRN_CUDA_ENTRY(planes),
                      CAIRN_CUDA_ENTRY(pairs), CAIRN_CUDA_ENTRY(boxes), CAIRN_CUDA_ENTRY(tiles),
                      CAIRN_CUDA_LAST(runs))

}  // namespace cairn::max_unpool
