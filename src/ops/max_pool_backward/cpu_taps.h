#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/kernel.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// The fast way: every cell looks at the windows that cover it, in ascending order, a vector of cells at a
// time, and is written once. Computes all planes and returns those in which an index lies outside its own
// window (or its plane): those are not right yet. Nothing is computed, and nothing returned, for a geometry
// it does not suit.
std::optional<std::vector<std::int64_t>> cover_by_taps(const Plan& plan, Workers& workers);

}  // namespace cairn::max_pool_backward
