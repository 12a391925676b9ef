#pragma once

#include "backend/kernel.h"
#include "ops/max_unpool_backward/plan.h"

// Fills the cells of a stretch in a shuffled order: from one in order the processor would see a pattern and
// also fetch the lines between, which no index names. The widest elements leave many lines out.
namespace cairn::max_unpool_backward::shuffled {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_unpool_backward::shuffled
