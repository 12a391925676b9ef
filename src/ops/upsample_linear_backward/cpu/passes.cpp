#include "ops/candidate.h"
#include "ops/kit/cpu/resample/resample.h"
#include "ops/upsample_linear_backward/plan.h"

namespace cairn::upsample_linear_backward::passes {

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  resample::run({.axes = {plan.d, plan.h, plan.w},
                 .backward = true,
                 .read_type = plan.type,
                 .written_type = plan.out_type,
                 .read = plan.grad_out,
                 .written = plan.grad_input,
                 .n = plan.n,
                 .c = plan.c},
                workers);
  return std::nullopt;
}

}  // namespace cairn::upsample_linear_backward::passes
