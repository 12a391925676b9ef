#pragma once

#include <span>

#include "ops/checks/rules.h"

namespace cairn::max_pool_values {

struct Call : CallBase {
  using CallBase::CallBase;

  const TensorArgument& self = tensor(0);
  const TensorArgument& out = tensor(1);
  const ArrayArgument& kernel_shape = array(0);
  const ArrayArgument& strides = array(1);
  const ArrayArgument& pads = array(2);
  const ArrayArgument& dilations = array(3);
  const std::int64_t auto_pad = integer(0);
  const bool ceil_mode = integer(1) != 0;
};

// Phase 1.
std::span<const Rule> rules(int spatial);
PlannedCall plan(const Call& call);

}  // namespace cairn::max_pool_values
