#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest/plan.h"

// Channels side by side that fill many cache lines go straight from self to values, cell by cell.
namespace cairn::upsample_nearest::long_channels {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest::long_channels
