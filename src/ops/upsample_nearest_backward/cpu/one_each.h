#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest_backward/plan.h"

// W keeps its size: a row of cells is the sum of lines, added with vectors.
namespace cairn::upsample_nearest_backward::one_each {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest_backward::one_each
