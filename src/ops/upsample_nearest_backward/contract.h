#pragma once

#include <span>

#include "ops/checks/upsampling.h"

namespace cairn::upsample_nearest_backward {

// Phase 1, over any number of spatial axes; the exact ones take positions by their centres.
std::span<const Rule> rules(int spatial);
std::span<const Rule> exact_rules(int spatial);
PlannedCall plan(const upsampling::Call& call);

}  // namespace cairn::upsample_nearest_backward
