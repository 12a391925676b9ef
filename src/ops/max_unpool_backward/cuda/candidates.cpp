#include <array>

#include "ops/cuda_kernels.h"
#include "ops/max_unpool_backward/cuda/methods.h"

namespace cairn::max_unpool_backward {
namespace {

constexpr std::array kCandidates = {
    candidate<why_not_packs, run_packs>("packs"),
    candidate<why_not_dense, run_dense>("dense"),
    candidate<why_not_strided, run_strided>("strided"),
    candidate<nothing<Plan>, run_converted>("converted"),
};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::max_unpool_backward
