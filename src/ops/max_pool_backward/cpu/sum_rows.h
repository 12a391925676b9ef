#pragma once

#include "backend/kernel.h"
#include "ops/max_pool_backward/plan.h"

// Halves, under windows three cells wide and high that lie two apart, as those that halve a plane with
// overlap: each cell looks at the few windows that reach it, many cells at a time.
namespace cairn::max_pool_backward::sum_rows {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_pool_backward::sum_rows
