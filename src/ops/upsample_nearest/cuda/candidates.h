#pragma once

#include "backend/cuda/launch.h"

namespace cairn::upsample_nearest {

// Over a Plan of this family, best first.
extern const std::span<const cuda::CudaCandidate> kCudaCandidates;

}  // namespace cairn::upsample_nearest
