#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/kernel.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// One window after the other, each gradient added to the cell its index names. Right for every geometry and
// every index; the reference for what the faster ways give up on.

// Computes the planes listed (n * C + c), each window looked at, and reports the first fault among them.
std::optional<IndexFault> scatter_planes(const Plan& plan, const std::vector<std::int64_t>& planes,
                                         Workers& workers);

// Computes all planes, looking only at the windows that can reach a cell. Returns the planes in which an
// index lies outside its own window (or its plane): those are not right yet.
std::vector<std::int64_t> scatter_by_geometry(const Plan& plan, Workers& workers);

}  // namespace cairn::max_pool_backward
