#pragma once

#include <span>

#include "ops/checks/upsampling.h"

namespace cairn::upsample_nearest_backward {

// Phase 1, over any number of spatial axes.
struct Call : upsampling::BaseCall {
  using BaseCall::BaseCall;

  const TensorArgument& grad_out = tensor(0);
  const ArrayArgument& input_size = array(1);
  const TensorArgument& grad_input = tensor(1);
};

std::span<const Rule> rules(int spatial);

PlannedCall plan(const Call& call);

}  // namespace cairn::upsample_nearest_backward
