#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest/plan.h"

// A vector of positions takes its cells from a vector of neighbours, by a shuffle that all lines share.
namespace cairn::upsample_nearest::shuffles {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest::shuffles
