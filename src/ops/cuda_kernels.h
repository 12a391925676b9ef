#pragma once

#include <span>

#include "backend/cuda/launch.h"

// The CUDA candidates of every family, best first; each family's list is in its folder's cuda/candidates.cpp.
#define CAIRN_FAMILY(family)                                         \
  namespace cairn::family {                                          \
  extern const std::span<const cuda::CudaCandidate> kCudaCandidates; \
  }
#include "ops/families.def"
#undef CAIRN_FAMILY
