#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest/plan.h"

// W keeps its size, so a line of values is a line of self.
namespace cairn::upsample_nearest::copy_lines {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest::copy_lines
