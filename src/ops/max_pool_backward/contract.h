#pragma once

#include <array>
#include <span>

#include "backend/kernel.h"
#include "ops/checks/pooling.h"

namespace cairn::max_pool_backward {

// Phase 1 of aclnnMaxPool3dWithArgmaxBackward and, with one spatial axis less,
// aclnnMaxPool2dWithIndicesBackward.
struct Call : pooling::BaseCall {
  Call(Operator which, const aclTensor* grad_output_handle, const pooling::Arguments& given,
       const aclTensor* grad_input_handle, std::uint64_t* workspace_size_destination,
       aclOpExecutor** executor_destination)
      : BaseCall(which, which == Operator::kMaxPool3dWithArgmaxBackward ? 3 : 2, given,
                 workspace_size_destination, executor_destination),
        grad_output("gradOutput", grad_output_handle),
        grad_input("gradInput", grad_input_handle) {}

  std::array<const Argument*, 10> arguments() const {
    return {&grad_output, &self,     &indices,    &kernel_size,    &stride,
            &padding,     &dilation, &grad_input, &workspace_size, &executor};
  }
  std::array<const TensorArgument*, 4> tensors() const {
    return {&grad_output, &self, &indices, &grad_input};
  }
  std::array<const TensorArgument*, 1> outputs() const { return {&grad_input}; }

  TensorArgument grad_output;
  TensorArgument grad_input;
};

std::span<const Rule<Call>> rules(Operator op);

Status plan_call(const Call& call, const Kernel& kernel);

}  // namespace cairn::max_pool_backward
