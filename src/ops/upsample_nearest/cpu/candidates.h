#pragma once

#include "backend/kernel.h"

namespace cairn::upsample_nearest {

// Over a Plan of this family, best first.
extern const std::span<const CpuCandidate> kCpuCandidates;

}  // namespace cairn::upsample_nearest
