#pragma once

#include "backend/cuda/launch.h"

namespace cairn::max_pool_backward {

// Over a Plan of this family, best first.
extern const std::span<const cuda::CudaCandidate> kCudaCandidates;

}  // namespace cairn::max_pool_backward
