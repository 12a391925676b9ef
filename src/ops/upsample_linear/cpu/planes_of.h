#pragma once

#include "ops/kit/cpu/resample/planes.h"
#include "ops/upsample_linear/plan.h"

namespace cairn::upsample_linear {

inline resample::Planes planes_of(const Plan& plan) {
  return {.axes = {plan.d, plan.h, plan.w},
          .backward = false,
          .read_type = plan.type,
          .written_type = plan.type,
          .read = plan.self,
          .written = plan.out,
          .n = plan.n,
          .c = plan.c};
}

}  // namespace cairn::upsample_linear
