#pragma once

#include "backend/kernel.h"
#include "ops/max_pool_backward/plan.h"

// Windows share no cell and lie two apart along W, as those that halve a plane do: there is nothing to add. A
// row of cells is a row of windows, each gradient put where its index says, else zero.
namespace cairn::max_pool_backward::place_rows {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_pool_backward::place_rows
