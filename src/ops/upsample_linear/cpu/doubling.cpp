#include "ops/kit/cpu/resample/doubling.h"

#include "ops/candidate.h"
#include "ops/upsample_linear/cpu/planes_of.h"
#include "ops/upsample_linear/plan.h"

namespace cairn::upsample_linear::doubling {

const char* why_not(const Plan& plan) { return resample::why_not_doubling(planes_of(plan)); }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  resample::run_doubling(planes_of(plan), workers);
  return std::nullopt;
}

}  // namespace cairn::upsample_linear::doubling
