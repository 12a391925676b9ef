#pragma once

#include <array>
#include <span>

#include "backend/kernel.h"
#include "ops/common/contract.h"

namespace cairn::upsample_nearest_backward {

// Phase 1 of aclnnUpsampleNearest3dBackward.
struct Call : CallBase {
  Call(const aclTensor* grad_out_handle, const aclIntArray* output_size_handle,
       const aclIntArray* input_size_handle, double scale_d, double scale_h, double scale_w,
       const aclTensor* grad_input_handle, std::uint64_t* workspace_size_destination,
       aclOpExecutor** executor_destination)
      : CallBase(Operator::kUpsampleNearest3dBackward, workspace_size_destination, executor_destination),
        grad_out("gradOut", grad_out_handle),
        output_size("outputSize", output_size_handle),
        input_size("inputSize", input_size_handle),
        scales{scale_d, scale_h, scale_w},
        grad_input("gradInput", grad_input_handle) {}

  std::array<const Argument*, 6> arguments() const {
    return {&grad_out, &output_size, &input_size, &grad_input, &workspace_size, &executor};
  }
  std::array<const TensorArgument*, 2> tensors() const { return {&grad_out, &grad_input}; }
  const TensorArgument& output() const { return grad_input; }

  TensorArgument grad_out;
  ArrayArgument output_size;
  ArrayArgument input_size;
  std::array<double, 3> scales;  // D, H, W
  TensorArgument grad_input;
};

std::span<const Rule<Call>> rules();

Status plan_call(const Call& call, const Kernel& kernel);

}  // namespace cairn::upsample_nearest_backward
