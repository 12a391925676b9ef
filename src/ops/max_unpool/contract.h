#pragma once

#include <array>
#include <span>

#include "backend/kernel.h"
#include "ops/checks/unpooling.h"

namespace cairn::max_unpool {

// Phase 1 of aclnnMaxUnpool3d.
struct Call : unpooling::BaseCall {
  Call(const unpooling::Arguments& given, const aclTensor* out_ref_handle,
       std::uint64_t* workspace_size_destination, aclOpExecutor** executor_destination)
      : BaseCall(Operator::kMaxUnpool3d, given, workspace_size_destination, executor_destination),
        out_ref("outRef", out_ref_handle) {}

  std::array<const Argument*, 8> arguments() const {
    return {&self, &indices, &output_size, &stride, &padding, &out_ref, &workspace_size, &executor};
  }
  std::array<const TensorArgument*, 3> tensors() const { return {&self, &indices, &out_ref}; }

  TensorArgument out_ref;
};

std::span<const Rule<Call>> rules();

Status plan_call(const Call& call, const Kernel& kernel);

}  // namespace cairn::max_unpool
