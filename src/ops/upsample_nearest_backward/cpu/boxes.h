#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest_backward/plan.h"

// Box after box, with sums in memory: takes every plan.
namespace cairn::upsample_nearest_backward::boxes {

std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest_backward::boxes
