#include <array>

#include "ops/cuda_kernels.h"
#include "ops/max_pool_backward/cuda/methods.h"

namespace cairn::max_pool_backward {
namespace {

constexpr std::array kCandidates = {
    candidate<why_not_small, run_small>("small"),
    candidate<why_not_marks, run_marks>("marks"),
    candidate<why_not_channel_tiles, run_channel_tiles>("channel_tiles"),
    candidate<why_not_row_tiles, run_row_tiles>("row_tiles"),
    candidate<why_not_channels, run_channels>("channels"),
    candidate<nothing<Plan>, run_rows>("rows"),
};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::max_pool_backward
