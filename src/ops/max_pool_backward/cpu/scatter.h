#pragma once

#include "backend/kernel.h"
#include "ops/max_pool_backward/plan.h"

// Adds each gradient to the cell its index names, window after window, in sums that slide through the cache:
// takes every plan. Only the windows that can reach a cell are looked at for it.
namespace cairn::max_pool_backward::scatter {

std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_pool_backward::scatter
