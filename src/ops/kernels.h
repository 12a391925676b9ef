#pragma once

#include <span>

#include "backend/kernel.h"

// The CPU candidates of every family, best first; each family's list is in its folder's cpu/candidates.cpp.
#define CAIRN_FAMILY(family)                                 \
  namespace cairn::family {                                  \
  extern const std::span<const CpuCandidate> kCpuCandidates; \
  }
#include "ops/families.def"
#undef CAIRN_FAMILY
