#pragma once

#include "backend/kernel.h"
#include "ops/max_unpool/plan.h"

// Zeroes the cells of a plane and puts each element where its index says.
namespace cairn::max_unpool::in_place {

const char* why_not(const Plan& plan);
std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_unpool::in_place
