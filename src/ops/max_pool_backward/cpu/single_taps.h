#pragma once

#include "backend/kernel.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Windows of one tap each, without padding: every cell where a window starts gets its gradient, the others 0.
void place_single_taps(const Plan& plan, Workers& workers);

}  // namespace cairn::max_pool_backward
