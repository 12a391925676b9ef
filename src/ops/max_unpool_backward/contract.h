#pragma once

#include <array>
#include <span>

#include "backend/kernel.h"
#include "ops/checks/unpooling.h"

namespace cairn::max_unpool_backward {

// Phase 1 of aclnnMaxUnpool3dBackward.
struct Call : unpooling::BaseCall {
  Call(const aclTensor* grad_output_handle, const unpooling::Arguments& given, const aclTensor* out_handle,
       std::uint64_t* workspace_size_destination, aclOpExecutor** executor_destination)
      : BaseCall(Operator::kMaxUnpool3dBackward, given, workspace_size_destination, executor_destination),
        grad_output("gradOutput", grad_output_handle),
        out("out", out_handle) {}

  std::array<const Argument*, 9> arguments() const {
    return {&grad_output, &self, &indices, &output_size, &stride, &padding, &out, &workspace_size, &executor};
  }
  std::array<const TensorArgument*, 4> tensors() const { return {&grad_output, &self, &indices, &out}; }

  TensorArgument grad_output;
  TensorArgument out;
};

std::span<const Rule<Call>> rules();

Status plan_call(const Call& call, const Kernel& kernel);

}  // namespace cairn::max_unpool_backward
