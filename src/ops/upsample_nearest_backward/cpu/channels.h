#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest_backward/plan.h"

// Channels side by side: a cell's positions are added with vectors, all channels of one in registers.
namespace cairn::upsample_nearest_backward::channels {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest_backward::channels
