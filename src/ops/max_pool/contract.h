#pragma once

#include <span>

#include "ops/checks/adaptive_max.h"
#include "ops/checks/pooling.h"

namespace cairn::max_pool {

// Phase 1, over any number of spatial axes.
std::span<const Rule> rules(int spatial);
std::span<const Rule> mask_rules(int spatial);  // of images whose indices are a mask
std::span<const Rule> adaptive_rules(int spatial);

PlannedCall plan(const pooling::Call& call);
PlannedCall plan_adaptive(const adaptive_max::Call& call);

}  // namespace cairn::max_pool
