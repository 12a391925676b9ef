#pragma once

#include "backend/kernel.h"
#include "ops/max_unpool_backward/plan.h"

// Tells D, H and W of each index apart, with multiplications for divisions.
namespace cairn::max_unpool_backward::rows {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_unpool_backward::rows
