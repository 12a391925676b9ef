#include <array>

#include "ops/cuda_kernels.h"
#include "ops/upsample_nearest_backward/cuda/methods.h"

namespace cairn::upsample_nearest_backward {
namespace {

constexpr std::array kCandidates = {
    candidate<why_not_channel_packs, run_channel_packs>("channel_packs"),
    candidate<why_not_channels, run_channels>("channels"),
    candidate<why_not_rows_same, run_rows_same>("rows_same"),
    candidate<why_not_rows_twice, run_rows_twice>("rows_twice"),
    candidate<why_not_staged, run_staged>("staged"),
    candidate<why_not_small_boxes, run_small_boxes>("small_boxes"),
    candidate<nothing<Plan>, run_cells>("cells"),
};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::upsample_nearest_backward
