#pragma once

#include <span>

#include "ops/checks/mean_pooling.h"

namespace cairn::mean_pool {

// Phase 1.
std::span<const Rule> rules(int spatial);
std::span<const Rule> adaptive_rules(int spatial);
PlannedCall plan(const mean_pooling::Call& call);
PlannedCall adaptive_plan(const mean_pooling::Call& call);

}  // namespace cairn::mean_pool
