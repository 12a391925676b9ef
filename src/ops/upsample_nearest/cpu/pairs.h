#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest/plan.h"

// Every cell of a line twice, with interleaving stores.
namespace cairn::upsample_nearest::pairs {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest::pairs
