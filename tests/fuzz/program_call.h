#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "api/descriptors.h"
#include "reference/operand.h"

// Calls of the operators, forward and backward, as plain values that a fuzzer can bend.
namespace fuzz {

using api_test::TensorSpec;

enum class Operator { kMaxPool2d, kMaxPool3d, kMaxUnpool3d, kUpsample3d };

struct ProgramCall {
  Operator op = Operator::kMaxPool2d;
  bool forward = false;
  TensorSpec grad;     // forward: the output, of which the backward takes the gradient
  TensorSpec self;     // upsample backward: not used
  TensorSpec indices;  // upsample: not used
  TensorSpec result;   // forward: not used
  std::vector<std::vector<std::int64_t>> arrays;  // in the order of the function's arguments
  bool ceil_mode = false;
  std::array<double, 3> scales{};

  bool has_indices() const { return op != Operator::kUpsample3d; }
  bool channels_last() const;
  std::array<TensorSpec*, 4> tensors() { return {&grad, &self, &indices, &result}; }
};

// A call the portable profile accepts.
ProgramCall sound_call(reference::Random& random);
// Changes one thing about it: mostly to something wrong, sometimes to something extreme.
void bend(reference::Random& random, ProgramCall& call);

struct Arguments {
  aclTensor* grad;
  aclTensor* self;
  aclTensor* indices;
  aclTensor* result;
  std::array<const aclIntArray*, 4> arrays;
};
aclnnStatus phase1(const ProgramCall& call, const Arguments& arguments, std::uint64_t* workspace_size,
                   aclOpExecutor** executor);
aclnnStatus phase2(const ProgramCall& call, void* workspace, std::uint64_t workspace_size,
                   aclOpExecutor* executor, aclrtStream stream);

std::string describe(const ProgramCall& call);

// Prints what went wrong and ends the program, which is how a fuzzer is told.
[[noreturn]] void fail(const ProgramCall& call, const std::string& what);

}  // namespace fuzz
