#pragma once

#include <span>

#include "ops/checks/pooling.h"

namespace cairn::max_pool {

// Phase 1, over any number of spatial axes.
std::span<const Rule> rules(int spatial);
std::span<const Rule> mask_rules(int spatial);  // of images whose indices are a mask

PlannedCall plan(const pooling::Call& call);

}  // namespace cairn::max_pool
