#pragma once

#include <span>

#include "ops/checks/upsampling.h"

namespace cairn::upsample_nearest {

// Phase 1, over any number of spatial axes.
std::span<const Rule> rules(int spatial);
PlannedCall plan(const upsampling::Call& call);

}  // namespace cairn::upsample_nearest
