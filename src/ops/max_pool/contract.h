#pragma once

#include <array>
#include <span>

#include "backend/kernel.h"
#include "ops/checks/pooling.h"

namespace cairn::max_pool {

// Phase 1 of aclnnMaxPool3dWithArgmax and, with one spatial axis less, aclnnMaxPool2dWithIndices.
struct Call : pooling::BaseCall {
  Call(Operator which, const pooling::Arguments& given, const aclTensor* out_handle,
       std::uint64_t* workspace_size_destination, aclOpExecutor** executor_destination)
      : BaseCall(which, which == Operator::kMaxPool3dWithArgmax ? 3 : 2, given, workspace_size_destination,
                 executor_destination),
        out("out", out_handle) {}

  std::array<const Argument*, 9> arguments() const {
    return {&self, &kernel_size, &stride, &padding, &dilation, &out, &indices, &workspace_size, &executor};
  }
  std::array<const TensorArgument*, 3> tensors() const { return {&self, &out, &indices}; }
  std::array<const TensorArgument*, 2> outputs() const { return {&out, &indices}; }

  TensorArgument out;
};

std::span<const Rule<Call>> rules(Operator op);

// Windows that have the same taps among `size` positions, with values that do not go far beyond it, so that
// no kernel's arithmetic overflows. `windows` is how many there are.
Window same_taps(const Window& window, std::int64_t size, std::int64_t windows);

Status plan_call(const Call& call, const Kernel& kernel);

}  // namespace cairn::max_pool
