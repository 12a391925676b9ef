#pragma once

#include "backend/kernel.h"
#include "ops/max_pool_backward/plan.h"

// Channels side by side are summed with vectors: each cell looks at the windows that reach it, in order, and
// takes the gradients whose index is its own position.
namespace cairn::max_pool_backward::sum_channels {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_pool_backward::sum_channels
