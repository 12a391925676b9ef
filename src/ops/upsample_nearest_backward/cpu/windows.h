#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest_backward/plan.h"

// Cells that take few neighbours each: a vector of cells reads a short window of a line and shuffles its
// terms out of it, by a table that all rows share.
namespace cairn::upsample_nearest_backward::windows {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest_backward::windows
