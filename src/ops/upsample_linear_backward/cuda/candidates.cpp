#include <array>

#include "ops/candidate.h"
#include "ops/cuda_kernels.h"
#include "ops/upsample_linear_backward/cuda/methods.h"

namespace cairn::upsample_linear_backward {

CAIRN_CUDA_CANDIDATES(CAIRN_CUDA_ENTRY(whole_ratio_rows), CAIRN_CUDA_ENTRY(whole_ratio_channels),
                      CAIRN_CUDA_ENTRY(whole_ratio_lines), CAIRN_CUDA_ENTRY(reduce_planes),
                      CAIRN_CUDA_ENTRY(reduce), CAIRN_CUDA_ENTRY(expand), CAIRN_CUDA_ENTRY(march),
                      CAIRN_CUDA_LAST(cells))

}  // namespace cairn::upsample_linear_backward
