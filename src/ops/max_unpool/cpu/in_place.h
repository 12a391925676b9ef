#pragma once

#include "backend/kernel.h"
#include "ops/max_unpool/plan.h"

// Zeroes the cells of a plane and puts each element where its index says: takes every plan.
namespace cairn::max_unpool::in_place {

std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_unpool::in_place
