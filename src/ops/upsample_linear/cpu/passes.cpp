#include "ops/candidate.h"
#include "ops/kit/cpu/resample/resample.h"
#include "ops/upsample_linear/plan.h"

namespace cairn::upsample_linear::passes {

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  resample::run({.axes = {plan.d, plan.h, plan.w},
                 .backward = false,
                 .read_type = plan.type,
                 .written_type = plan.type,
                 .read = plan.self,
                 .written = plan.out,
                 .n = plan.n,
                 .c = plan.c},
                workers);
  return std::nullopt;
}

}  // namespace cairn::upsample_linear::passes
