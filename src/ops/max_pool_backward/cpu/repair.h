#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/kernel.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Computes the planes listed (n * C + c) again, looking at every window, and reports the first fault among
// them: a stray index, outside its own window, may name any cell or none.
std::optional<IndexFault> repair_planes(const Plan& plan, const std::vector<std::int64_t>& planes,
                                        Workers& workers);

}  // namespace cairn::max_pool_backward
