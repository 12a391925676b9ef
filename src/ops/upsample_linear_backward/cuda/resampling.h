#pragma once

#include "ops/kit/cuda/resampling.h"
#include "ops/upsample_linear_backward/plan.h"

namespace cairn::upsample_linear_backward {

inline cuda::Resampling resampling(const Plan& plan) {
  return {plan.n, plan.c, plan.d, plan.h, plan.w, plan.grad_out, plan.grad_input, size_of(plan.type), true};
}

}  // namespace cairn::upsample_linear_backward
