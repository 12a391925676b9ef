#include <array>

#include "ops/candidate.h"
#include "ops/cuda_kernels.h"
#include "ops/upsample_nearest_backward/cuda/methods.h"

namespace cairn::upsample_nearest_backward {

CAIRN_CUDA_CANDIDATES(CAIRN_CUDA_ENTRY(channel_packs), CAIRN_CUDA_ENTRY(channels),
                      CAIRN_CUDA_ENTRY(rows_same), CAIRN_CUDA_ENTRY(rows_twice),
                      CAIRN_CUDA_ENTRY(rows_fourfold), CAIRN_CUDA_ENTRY(staged),
                      CAIRN_CUDA_ENTRY(small_boxes), CAIRN_CUDA_LAST(cells))

}  // namespace cairn::upsample_nearest_backward
