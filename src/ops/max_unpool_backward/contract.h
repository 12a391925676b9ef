#pragma once

#include <array>
#include <span>

#include "backend/kernel.h"
#include "ops/common/contract.h"

namespace cairn::max_unpool_backward {

// Phase 1 of aclnnMaxUnpool3dBackward.
struct Call : CallBase {
  Call(const aclTensor* grad_output_handle, const aclTensor* self_handle, const aclTensor* indices_handle,
       const aclIntArray* output_size_handle, const aclIntArray* stride_handle,
       const aclIntArray* padding_handle, const aclTensor* out_handle,
       std::uint64_t* workspace_size_destination, aclOpExecutor** executor_destination)
      : CallBase(Operator::kMaxUnpool3dBackward, workspace_size_destination, executor_destination),
        grad_output("gradOutput", grad_output_handle),
        self("self", self_handle),
        indices("indices", indices_handle),
        output_size("outputSize", output_size_handle),
        stride("stride", stride_handle),
        padding("padding", padding_handle),
        out("out", out_handle) {}

  std::array<const Argument*, 9> arguments() const {
    return {&grad_output, &self, &indices, &output_size, &stride, &padding, &out, &workspace_size, &executor};
  }
  std::array<const TensorArgument*, 4> tensors() const { return {&grad_output, &self, &indices, &out}; }

  TensorArgument grad_output;
  TensorArgument self;
  TensorArgument indices;
  ArrayArgument output_size;
  ArrayArgument stride;
  ArrayArgument padding;
  TensorArgument out;
};

std::span<const Rule<Call>> rules();

Status plan_call(const Call& call, const Kernel& kernel);

}  // namespace cairn::max_unpool_backward
