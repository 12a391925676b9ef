#include <array>

#include "ops/cuda_kernels.h"
#include "ops/upsample_nearest/cuda/methods.h"

namespace cairn::upsample_nearest {
namespace {

constexpr std::array kCandidates = {
    candidate<why_not_channel_packs, run_channel_packs>("channel_packs"),
    candidate<why_not_channels, run_channels>("channels"),
    candidate<why_not_rows_same, run_rows_same>("rows_same"),
    candidate<why_not_rows_twice, run_rows_twice>("rows_twice"),
    candidate<why_not_rows_picked, run_rows_picked>("rows_picked"),
    candidate<why_not_rows, run_rows>("rows"),
    candidate<nothing<Plan>, run_units>("units"),
};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::upsample_nearest
