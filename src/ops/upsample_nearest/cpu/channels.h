#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest/plan.h"

// Channels side by side: a line's cells are copied with vectors into one that stays in the cache, which is
// written for all the lines that are like it.
namespace cairn::upsample_nearest::channels {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest::channels
