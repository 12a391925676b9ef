#include "ops/candidate.h"
#include "ops/kit/cpu/resample/resample.h"
#include "ops/upsample_linear/cpu/planes_of.h"
#include "ops/upsample_linear/plan.h"

namespace cairn::upsample_linear::passes {

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  resample::run(planes_of(plan), workers);
  return std::nullopt;
}

}  // namespace cairn::upsample_linear::passes
