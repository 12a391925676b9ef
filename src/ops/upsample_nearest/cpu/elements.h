#pragma once

#include "backend/kernel.h"
#include "ops/upsample_nearest/plan.h"

// One element at a time, by a table: takes every plan.
namespace cairn::upsample_nearest::elements {

std::optional<IndexFault> run(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest::elements
