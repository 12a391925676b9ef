#pragma once

#include <span>

#include "ops/checks/upsampling.h"

namespace cairn::upsample_nearest {

// Phase 1, over any number of spatial axes.
struct Call : upsampling::BaseCall {
  using BaseCall::BaseCall;

  const TensorArgument& self = tensor(0);
  const TensorArgument& out = tensor(1);
};

std::span<const Rule> rules(int spatial);

PlannedCall plan(const Call& call);

}  // namespace cairn::upsample_nearest
