#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest_backward/plan.h"

// W is doubled: a row of cells is the sum of lines, whose neighbours are told apart by de-interleaving loads.
namespace cairn::upsample_nearest_backward::two_each {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest_backward::two_each
