#pragma once

#include "backend/kernel.h"
#include "ops/max_unpool_backward/plan.h"

// The elements of a plane of gradOutput lie evenly spaced, so an index is a distance.
namespace cairn::max_unpool_backward::strided {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_unpool_backward::strided
