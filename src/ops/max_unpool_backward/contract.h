#pragma once

#include <span>

#include "ops/checks/unpooling.h"

namespace cairn::max_unpool_backward {

// Phase 1, over any number of spatial axes.
std::span<const Rule> rules(int spatial);
PlannedCall plan(const unpooling::Call& call);

}  // namespace cairn::max_unpool_backward
