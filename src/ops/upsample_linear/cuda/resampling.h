#pragma once

#include "ops/kit/cuda/resampling.h"
#include "ops/upsample_linear/plan.h"

namespace cairn::upsample_linear {

inline cuda::Resampling resampling(const Plan& plan) {
  return {plan.n, plan.c, plan.d, plan.h, plan.w, plan.self, plan.out, size_of(plan.type), false};
}

}  // namespace cairn::upsample_linear
