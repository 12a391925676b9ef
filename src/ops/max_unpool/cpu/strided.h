#pragma once

#include "backend/kernel.h"
#include "ops/max_unpool/plan.h"

// As in_place, with cells wherever the strides of out say: takes every plan.
namespace cairn::max_unpool::strided {

std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::max_unpool::strided
