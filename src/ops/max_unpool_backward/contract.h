#pragma once

#include <span>

#include "ops/checks/unpooling.h"

namespace cairn::max_unpool_backward {

// Phase 1, over any number of spatial axes.
struct Call : unpooling::BaseCall {
  Call(const Operator& which, std::span<const Value> values, std::uint64_t* workspace_size,
       aclOpExecutor** executor)
      : BaseCall(which, values, workspace_size, executor, 1) {}

  const TensorArgument& grad_output = tensor(0);
  const TensorArgument& out = tensor(3);
};

std::span<const Rule> rules(int spatial);

PlannedCall plan(const Call& call);

}  // namespace cairn::max_unpool_backward
