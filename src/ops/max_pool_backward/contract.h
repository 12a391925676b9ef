#pragma once

#include <array>
#include <span>

#include "backend/kernel.h"
#include "ops/common/contract.h"

namespace cairn::max_pool_backward {

// Phase 1 of aclnnMaxPool3dWithArgmaxBackward and, with one spatial axis less,
// aclnnMaxPool2dWithIndicesBackward.
struct Call : CallBase {
  Call(Operator which, const aclTensor* grad_output_handle, const aclTensor* self_handle,
       const aclTensor* indices_handle, const aclIntArray* kernel_size_handle,
       const aclIntArray* stride_handle, const aclIntArray* padding_handle,
       const aclIntArray* dilation_handle, bool ceil, const aclTensor* grad_input_handle,
       std::uint64_t* workspace_size_destination, aclOpExecutor** executor_destination)
      : CallBase(which, workspace_size_destination, executor_destination),
        spatial(which == Operator::kMaxPool3dWithArgmaxBackward ? 3 : 2),
        grad_output("gradOutput", grad_output_handle),
        self("self", self_handle),
        indices("indices", indices_handle),
        kernel_size("kernelSize", kernel_size_handle),
        stride("stride", stride_handle),
        padding("padding", padding_handle),
        dilation("dilation", dilation_handle),
        ceil_mode(ceil),
        grad_input("gradInput", grad_input_handle) {}

  std::array<const Argument*, 10> arguments() const {
    return {&grad_output, &self,     &indices,    &kernel_size,    &stride,
            &padding,     &dilation, &grad_input, &workspace_size, &executor};
  }
  std::array<const TensorArgument*, 4> tensors() const {
    return {&grad_output, &self, &indices, &grad_input};
  }
  const TensorArgument& output() const { return grad_input; }

  int spatial;  // 3 or 2
  TensorArgument grad_output;
  TensorArgument self;
  TensorArgument indices;
  ArrayArgument kernel_size;
  ArrayArgument stride;
  ArrayArgument padding;
  ArrayArgument dilation;
  bool ceil_mode;
  TensorArgument grad_input;
};

std::span<const Rule<Call>> rules(Operator op);

Status plan_call(const Call& call, const Kernel& kernel);

}  // namespace cairn::max_pool_backward
