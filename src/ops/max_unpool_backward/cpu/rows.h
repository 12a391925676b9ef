#pragma once

#include "backend/kernel.h"
#include "ops/max_unpool_backward/plan.h"

// Tells D, H and W of each index apart, with multiplications for divisions: takes every plan.
namespace cairn::max_unpool_backward::rows {

std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_unpool_backward::rows
