#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"

namespace contract_test {

using Dims = std::vector<std::int64_t>;

// What a test passes in the place of a handle.
enum class Handle { kLive, kNull, kDestroyed, kOtherKind, kMadeUp };

struct TensorSpec {
  const char* name;
  Dims dims;
  aclDataType type = ACL_FLOAT;
  aclFormat format = ACL_FORMAT_ND;
  std::optional<Dims> strides = {};
  std::int64_t offset = 0;
  std::optional<Dims> storage = {};
  Handle handle = Handle::kLive;
};

struct ArraySpec {
  const char* name;
  Dims values;
  Handle handle = Handle::kLive;
};

// The live objects behind the specs of one call.
class Objects {
 public:
  Objects() = default;
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;
  ~Objects();

  aclTensor* make(const TensorSpec& spec);
  aclIntArray* make(const ArraySpec& spec);

 private:
  std::vector<aclTensor*> tensors_;
  std::vector<aclIntArray*> arrays_;
};

// What every call has besides its own arguments.
struct CaseBase {
  std::string product = "portable";
  bool null_workspace_size = false;
  bool null_executor = false;
};

struct MaxPoolCase : CaseBase {
  TensorSpec grad_output;
  TensorSpec self;
  TensorSpec indices;
  ArraySpec kernel_size;
  ArraySpec stride;
  ArraySpec padding;
  ArraySpec dilation;
  bool ceil_mode = false;
  TensorSpec grad_input;

  std::vector<TensorSpec*> tensors() { return {&grad_output, &self, &indices, &grad_input}; }
  std::vector<ArraySpec*> arrays() { return {&kernel_size, &stride, &padding, &dilation}; }
  TensorSpec& output() { return grad_input; }
};

// A call that every product that offers the operator accepts.
struct MaxPool3dCase : MaxPoolCase {
  MaxPool3dCase();
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950"};
  static constexpr std::array kRefusing = {"atlas-training", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};
};

struct MaxPool2dCase : MaxPoolCase {
  MaxPool2dCase();
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950"};
  static constexpr std::array kRefusing = {"atlas-training", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};
};

struct MaxUnpool3dCase : CaseBase {
  MaxUnpool3dCase();
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950", "atlas-training"};
  static constexpr std::array kRefusing = {"atlas-inference", "atlas-200i-500-a2", "atlas-200-300-500"};

  std::vector<TensorSpec*> tensors() { return {&grad_output, &self, &indices, &out}; }
  std::vector<ArraySpec*> arrays() { return {&output_size, &stride, &padding}; }
  TensorSpec& output() { return out; }

  TensorSpec grad_output;
  TensorSpec self;
  TensorSpec indices;
  ArraySpec output_size;
  ArraySpec stride;
  ArraySpec padding;
  TensorSpec out;
};

struct UpsampleNearest3dCase : CaseBase {
  UpsampleNearest3dCase();
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "atlas-training"};
  static constexpr std::array kRefusing = {"ascend950", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};

  std::vector<TensorSpec*> tensors() { return {&grad_out, &grad_input}; }
  std::vector<ArraySpec*> arrays() { return {&output_size, &input_size}; }
  TensorSpec& output() { return grad_input; }

  TensorSpec grad_out;
  ArraySpec output_size;
  ArraySpec input_size;
  std::array<double, 3> scales = {0, 0, 0};
  TensorSpec grad_input;
};

// Phase 1 of a call, as a program sees it.
struct Outcome {
  std::int32_t status;
  std::string message;  // empty on success
  bool outputs_written;
  std::uint64_t workspace_size;
};

Outcome run(const MaxPool3dCase& call);
Outcome run(const MaxPool2dCase& call);
Outcome run(const MaxUnpool3dCase& call);
Outcome run(const UpsampleNearest3dCase& call);

void expect_accepted(const Outcome& outcome, const std::string& product);
// The call breaks `rule`, and the message names it and every one of `words`.
void expect_refused(const Outcome& outcome, const std::string& product, const std::string& rule,
                    const std::vector<std::string>& words);

std::string current_rule();  // the name of the running test

template <typename Case>
void accepts(const Case& call) {
  expect_accepted(run(call), call.product);
}

template <typename Case, typename... Words>
void refuses(const Case& call, const Words&... words) {
  expect_refused(run(call), call.product, current_rule(), {std::string(words)...});
}

// Does something with the call on every product that offers the operator.
template <typename Case, typename Body>
void on_each_product(Body body) {
  for (const char* product : Case::kOffering) {
    Case call;
    call.product = product;
    body(call);
  }
}

// Rules that have a test, as pairs of operator and rule.
std::vector<std::pair<std::string, std::string>>& covered_rules();
bool cover(const char* suite, const char* rule);

}  // namespace contract_test

// A test named after its rule, in a suite named after its operator.
#define RULE_TEST(suite, rule)                                                                \
  [[maybe_unused]] const bool covered_##suite##_##rule = contract_test::cover(#suite, #rule); \
  TEST(suite, rule)
