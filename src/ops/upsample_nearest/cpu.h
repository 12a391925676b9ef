#pragma once

#include <optional>

#include "backend/kernel.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers);

}  // namespace cairn::upsample_nearest
