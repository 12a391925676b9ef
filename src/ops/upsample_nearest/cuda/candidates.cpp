#include <array>

#include "ops/candidate.h"
#include "ops/cuda_kernels.h"
#include "ops/upsample_nearest/cuda/methods.h"

namespace cairn::upsample_nearest {

CAIRN_CUDA_CANDIDATES(CAIRN_CUDA_ENTRY(channel_packs), CAIRN_CUDA_ENTRY(channels),
                      CAIRN_CUDA_ENTRY(rows_same), CAIRN_CUDA_ENTRY(rows_fourfold),
                      CAIRN_CUDA_ENTRY(rows_picked), CAIRN_CUDA_ENTRY(rows), CAIRN_CUDA_LAST(units))

}  // namespace cairn::upsample_nearest
