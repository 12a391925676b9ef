#pragma once

#include <array>
#include <span>

#include "backend/kernel.h"
#include "ops/checks/upsampling.h"

namespace cairn::upsample_nearest_backward {

// Phase 1 of aclnnUpsampleNearest3dBackward.
struct Call : upsampling::BaseCall {
  Call(const aclTensor* grad_out_handle, const aclIntArray* output_size_handle,
       const aclIntArray* input_size_handle, double scale_d, double scale_h, double scale_w,
       const aclTensor* grad_input_handle, std::uint64_t* workspace_size_destination,
       aclOpExecutor** executor_destination)
      : BaseCall(Operator::kUpsampleNearest3dBackward, output_size_handle, {scale_d, scale_h, scale_w},
                 workspace_size_destination, executor_destination),
        grad_out("gradOut", grad_out_handle),
        input_size("inputSize", input_size_handle),
        grad_input("gradInput", grad_input_handle) {}

  std::array<const Argument*, 6> arguments() const {
    return {&grad_out, &output_size, &input_size, &grad_input, &workspace_size, &executor};
  }
  std::array<const TensorArgument*, 2> tensors() const { return {&grad_out, &grad_input}; }
  std::array<const TensorArgument*, 1> outputs() const { return {&grad_input}; }

  TensorArgument grad_out;
  ArrayArgument input_size;
  TensorArgument grad_input;
};

std::span<const Rule<Call>> rules();

Status plan_call(const Call& call, const Kernel& kernel);

}  // namespace cairn::upsample_nearest_backward
