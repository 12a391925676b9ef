#pragma once

#include <optional>

#include "backend/kernel.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers);

}  // namespace cairn::max_pool
