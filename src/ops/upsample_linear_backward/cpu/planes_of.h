#pragma once

#include "ops/kit/cpu/resample/planes.h"
#include "ops/upsample_linear_backward/plan.h"

namespace cairn::upsample_linear_backward {

inline resample::Planes planes_of(const Plan& plan) {
  return {.axes = {plan.d, plan.h, plan.w},
          .backward = true,
          .read_type = plan.type,
          .written_type = plan.out_type,
          .read = plan.grad_out,
          .written = plan.grad_input,
          .n = plan.n,
          .c = plan.c};
}

}  // namespace cairn::upsample_linear_backward
