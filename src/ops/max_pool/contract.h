#pragma once

#include <span>

#include "ops/checks/pooling.h"

namespace cairn::max_pool {

// Phase 1, over any number of spatial axes.
struct Call : pooling::BaseCall {
  Call(const Operator& which, std::span<const Value> values, std::uint64_t* workspace_size,
       aclOpExecutor** executor)
      : BaseCall(which, values, workspace_size, executor, 0) {}

  const TensorArgument& out = tensor(1);
};

std::span<const Rule> rules(int spatial);

// Windows that have the same taps among `size` positions, with values that do not go far beyond it, so that
// no kernel's arithmetic overflows. `windows` is how many there are.
Window same_taps(const Window& window, std::int64_t size, std::int64_t windows);

PlannedCall plan(const Call& call);

}  // namespace cairn::max_pool
