#pragma once

#include <array>
#include <span>

#include "backend/kernel.h"
#include "ops/checks/upsampling.h"

namespace cairn::upsample_nearest {

// Phase 1 of aclnnUpsampleNearest3d.
struct Call : upsampling::BaseCall {
  Call(const aclTensor* self_handle, const aclIntArray* output_size_handle, double scale_d, double scale_h,
       double scale_w, const aclTensor* out_handle, std::uint64_t* workspace_size_destination,
       aclOpExecutor** executor_destination)
      : BaseCall(Operator::kUpsampleNearest3d, output_size_handle, {scale_d, scale_h, scale_w},
                 workspace_size_destination, executor_destination),
        self("self", self_handle),
        out("out", out_handle) {}

  std::array<const Argument*, 5> arguments() const {
    return {&self, &output_size, &out, &workspace_size, &executor};
  }
  std::array<const TensorArgument*, 2> tensors() const { return {&self, &out}; }
  std::array<const TensorArgument*, 1> outputs() const { return {&out}; }

  TensorArgument self;
  TensorArgument out;
};

std::span<const Rule<Call>> rules();

Status plan_call(const Call& call, const Kernel& kernel);

}  // namespace cairn::upsample_nearest
