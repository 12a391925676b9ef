#pragma once

#include <span>

#include "ops/checks/pooling.h"

namespace cairn::max_pool_backward {

// Phase 1, over any number of spatial axes.
struct Call : pooling::BaseCall {
  Call(const Operator& which, std::span<const Value> values, std::uint64_t* workspace_size,
       aclOpExecutor** executor)
      : BaseCall(which, values, workspace_size, executor, 1) {}

  const TensorArgument& grad_output = tensor(0);
  const TensorArgument& grad_input = tensor(3);
};

std::span<const Rule> rules(int spatial);

PlannedCall plan(const Call& call);

}  // namespace cairn::max_pool_backward
