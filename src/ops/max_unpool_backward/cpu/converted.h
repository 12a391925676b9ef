#pragma once

#include "backend/kernel.h"
#include "ops/max_unpool_backward/plan.h"

// Gathers a stretch of cells and stores it as out's type wherever out's cells lie: takes every plan.
namespace cairn::max_unpool_backward::converted {

std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_unpool_backward::converted
