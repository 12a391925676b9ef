#include <array>

#include "ops/cuda_kernels.h"
#include "ops/max_unpool/cuda/methods.h"

namespace cairn::max_unpool {
namespace {

constexpr std::array kCandidates = {
    candidate<why_not_zeros, run_zeros>("zeros"), candidate<why_not_planes, run_planes>("planes"),
    candidate<why_not_boxes, run_boxes>("boxes"), candidate<why_not_tiles, run_tiles>("tiles"),
    candidate<nothing<Plan>, run_runs>("runs"),
};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::max_unpool
