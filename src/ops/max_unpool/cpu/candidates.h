#pragma once

#include "backend/kernel.h"

namespace cairn::max_unpool {

// Over a Plan of this family, best first.
extern const std::span<const CpuCandidate> kCpuCandidates;

}  // namespace cairn::max_unpool
