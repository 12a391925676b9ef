#include "ops/kit/cpu/resample/cubic_doubling.h"

#include "ops/candidate.h"
#include "ops/upsample_linear_backward/cpu/planes_of.h"
#include "ops/upsample_linear_backward/plan.h"

namespace cairn::upsample_linear_backward::cubic_doubling {

const char* why_not(const Plan& plan) { return resample::why_not_cubic_doubling(planes_of(plan)); }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  resample::run_cubic_doubling(planes_of(plan), workers);
  return std::nullopt;
}

}  // namespace cairn::upsample_linear_backward::cubic_doubling
