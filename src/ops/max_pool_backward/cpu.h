#pragma once

#include <optional>

#include "backend/kernel.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers);

}  // namespace cairn::max_pool_backward
