#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "aclnnop/aclnn_ops_cv.h"
#include "aclnnop/aclnn_ops_nn.h"

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

// The arguments that pooling has forward and backward.
struct PoolCase : CaseBase {
  TensorSpec self;
  TensorSpec indices;
  ArraySpec kernel_size;
  ArraySpec stride;
  ArraySpec padding;
  ArraySpec dilation;
  bool ceil_mode = false;

  std::vector<ArraySpec*> arrays() { return {&kernel_size, &stride, &padding, &dilation}; }

 protected:
  PoolCase(const Dims& input, const Dims& output);
};

struct PoolProducts {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950"};
  static constexpr std::array kRefusing = {"atlas-training", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};
};

struct MaxPoolBackwardCase : PoolCase, PoolProducts {
  TensorSpec grad_output;
  TensorSpec grad_input;

  std::vector<TensorSpec*> tensors() { return {&grad_output, &self, &indices, &grad_input}; }
  std::vector<TensorSpec*> outputs() { return {&grad_input}; }
  std::vector<TensorSpec*> values() { return {&grad_output, &self, &grad_input}; }
  TensorSpec& pooled() { return grad_output; }
  auto arguments() const {
    return std::tie(grad_output, self, indices, kernel_size, stride, padding, dilation, ceil_mode,
                    grad_input);
  }
  void set_shapes(const Dims& input, const Dims& output) {
    self.dims = grad_input.dims = input;
    grad_output.dims = indices.dims = output;
  }

 protected:
  MaxPoolBackwardCase(const Dims& input, const Dims& output)
      : PoolCase(input, output), grad_output{"gradOutput", output}, grad_input{"gradInput", input} {}
};

struct MaxPoolForwardCase : PoolCase, PoolProducts {
  TensorSpec out;

  std::vector<TensorSpec*> tensors() { return {&self, &out, &indices}; }
  std::vector<TensorSpec*> outputs() { return {&out, &indices}; }
  std::vector<TensorSpec*> values() { return {&self, &out}; }
  TensorSpec& pooled() { return out; }
  auto arguments() const {
    return std::tie(self, kernel_size, stride, padding, dilation, ceil_mode, out, indices);
  }
  void set_shapes(const Dims& input, const Dims& output) {
    self.dims = input;
    out.dims = indices.dims = output;
  }

 protected:
  MaxPoolForwardCase(const Dims& input, const Dims& output) : PoolCase(input, output), out{"out", output} {}
};

// Calls that every product that offers the operator accepts, each named after its operator.

struct MaxPool3dWithArgmaxBackward : MaxPoolBackwardCase {
  MaxPool3dWithArgmaxBackward() : MaxPoolBackwardCase({2, 3, 8, 8, 10}, {2, 3, 4, 4, 5}) {}
  static constexpr std::size_t kSpatial = 3;
  static constexpr auto kPhase1 = aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize;
};

struct MaxPool2dWithIndicesBackward : MaxPoolBackwardCase {
  MaxPool2dWithIndicesBackward() : MaxPoolBackwardCase({2, 3, 8, 10}, {2, 3, 4, 5}) {}
  static constexpr std::size_t kSpatial = 2;
  static constexpr auto kPhase1 = aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize;
};

struct MaxPool3dWithArgmax : MaxPoolForwardCase {
  MaxPool3dWithArgmax() : MaxPoolForwardCase({2, 3, 8, 8, 10}, {2, 3, 4, 4, 5}) {}
  static constexpr std::size_t kSpatial = 3;
  static constexpr auto kPhase1 = aclnnMaxPool3dWithArgmaxGetWorkspaceSize;
};

struct MaxPool2dWithIndices : MaxPoolForwardCase {
  MaxPool2dWithIndices() : MaxPoolForwardCase({2, 3, 8, 10}, {2, 3, 4, 5}) {}
  static constexpr std::size_t kSpatial = 2;
  static constexpr auto kPhase1 = aclnnMaxPool2dWithIndicesGetWorkspaceSize;
};

// The shape of a mask for so many windows.
Dims mask_dims(const Dims& kernel, Dims windows);

// Indices as a mask. Unless a test gives them a shape of its own, they have the one that belongs to the call.
template <typename Case>
struct MaskCase : Case {
  static constexpr std::size_t kSpatial = 2;
  static constexpr bool kStrictFormats = true;

  MaskCase() : Case({2, 3, 8, 10}, {2, 3, 4, 5}) {
    this->indices.type = ACL_INT8;
    this->indices.dims = usual_ = mask_dims({2, 2}, {2, 3, 4, 5});
  }
  void set_shapes(const Dims& input, const Dims& output) {
    Case::set_shapes(input, output);
    this->indices.dims = usual_;
  }
  TensorSpec mask() const {
    TensorSpec mask = this->indices;
    const Dims& windows = const_cast<MaskCase*>(this)->pooled().dims;
    const Dims& kernel = this->kernel_size.values;
    const bool usual = std::all_of(kernel.begin(), kernel.end(), [](auto k) { return k > 0 && k < 100; });
    if (mask.dims == usual_ && windows.size() > 2 && windows.size() < 5 && !kernel.empty() && usual)
      mask.dims = mask_dims(kernel, windows);
    return mask;
  }

 private:
  Dims usual_;
};

struct MaxPool2dWithMask : MaskCase<MaxPoolForwardCase> {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "atlas-training",
                                           "atlas-inference"};
  static constexpr std::array kRefusing = {"ascend950", "atlas-200i-500-a2", "atlas-200-300-500"};
  static constexpr auto kPhase1 = aclnnMaxPool2dWithMaskGetWorkspaceSize;
  std::vector<TensorSpec*> outputs() { return {&out}; }
  auto arguments() const {
    return std::tuple_cat(std::tie(self, kernel_size, stride, padding, dilation, ceil_mode, out),
                          std::make_tuple(mask()));
  }
};

struct MaxPool2dWithMaskBackward : MaskCase<MaxPoolBackwardCase> {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "atlas-training"};
  static constexpr std::array kRefusing = {"ascend950", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};
  static constexpr auto kPhase1 = aclnnMaxPool2dWithMaskBackwardGetWorkspaceSize;
  auto arguments() const {
    return std::tuple_cat(std::tie(grad_output, self), std::make_tuple(mask()),
                          std::tie(kernel_size, stride, padding, dilation, ceil_mode, grad_input));
  }
};

struct MaxPool : CaseBase {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950", "atlas-training"};
  static constexpr std::array kRefusing = {"atlas-inference", "atlas-200i-500-a2", "atlas-200-300-500"};
  static constexpr bool kStrictFormats = true;
  static constexpr auto kPhase1 = aclnnMaxPoolGetWorkspaceSize;

  std::vector<TensorSpec*> tensors() { return {&self, &out}; }
  std::vector<TensorSpec*> outputs() { return {&out}; }
  std::vector<TensorSpec*> values() { return {&self, &out}; }
  std::vector<ArraySpec*> arrays() { return {&kernel_shape, &strides, &pads, &dilations}; }
  auto arguments() const {
    return std::tie(self, kernel_shape, strides, auto_pad, pads, dilations, ceil_mode, out);
  }
  void set_shapes(const Dims& input, const Dims& output) {
    self.dims = input;
    out.dims = output;
  }

  TensorSpec self{"self", {2, 3, 8, 10}, ACL_FLOAT16};
  ArraySpec kernel_shape{"kernelShape", {2, 2}};
  ArraySpec strides{"strides", {2, 2}};
  std::int64_t auto_pad = 0;
  ArraySpec pads{"pads", {0, 0, 0, 0}};
  ArraySpec dilations{"dilations", {1, 1}};
  std::int64_t ceil_mode = 0;
  TensorSpec out{"out", {2, 3, 4, 5}, ACL_FLOAT16};
};

// Written for volumes: images have the same numbers without those of D.
template <std::size_t kAxes>
struct UnpoolCase : CaseBase {
  static constexpr std::size_t kSpatial = kAxes;

  static Dims cut(Dims dims) {
    if (kSpatial == 2 && dims.size() > 2) dims.erase(dims.end() - 3);
    return dims;
  }
  std::vector<ArraySpec*> arrays() {
    if (kSpatial == 2) return {&output_size};
    return {&output_size, &stride, &padding};
  }

  TensorSpec self{"self", cut({2, 3, 2, 3, 4})};
  TensorSpec indices{"indices", cut({2, 3, 2, 3, 4}), ACL_INT64};
  ArraySpec output_size{"outputSize", cut({4, 6, 8})};
  ArraySpec stride{"stride", {2, 2, 2}};
  ArraySpec padding{"padding", {0, 0, 0}};
};

template <std::size_t kAxes>
struct UnpoolBackwardCase : UnpoolCase<kAxes> {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950", "atlas-training"};
  static constexpr std::array kRefusing = {"atlas-inference", "atlas-200i-500-a2", "atlas-200-300-500"};

  std::vector<TensorSpec*> tensors() { return {&grad_output, &this->self, &this->indices, &out}; }
  std::vector<TensorSpec*> outputs() { return {&out}; }
  std::vector<TensorSpec*> values() { return {&grad_output, &this->self, &out}; }
  TensorSpec& unpooled() { return grad_output; }
  TensorSpec& output() { return out; }
  void set_shapes(const Dims& pooled_dims, const Dims& unpooled_dims) {
    this->self.dims = this->indices.dims = out.dims = this->cut(pooled_dims);
    grad_output.dims = this->cut(unpooled_dims);
  }

  TensorSpec grad_output{"gradOutput", this->cut({2, 3, 4, 6, 8})};
  TensorSpec out{"out", this->cut({2, 3, 2, 3, 4})};
};

template <std::size_t kAxes>
struct UnpoolForwardCase : UnpoolCase<kAxes> {
  static constexpr std::array kOffering = {"portable", "atlas-a2", "atlas-a3", "ascend950"};
  static constexpr std::array kRefusing = {"atlas-training", "atlas-inference", "atlas-200i-500-a2",
                                           "atlas-200-300-500"};

  std::vector<TensorSpec*> tensors() { return {&this->self, &this->indices, &out}; }
  std::vector<TensorSpec*> outputs() { return {&out}; }
  std::vector<TensorSpec*> values() { return {&this->self, &out}; }
  TensorSpec& unpooled() { return out; }
  TensorSpec& output() { return out; }
  void set_shapes(const Dims& pooled_dims, const Dims& unpooled_dims) {
    this->self.dims = this->indices.dims = this->cut(pooled_dims);
    out.dims = this->cut(unpooled_dims);
  }

  TensorSpec out{kAxes == 3 ? "outRef" : "out", this->cut({2, 3, 4, 6, 8})};
};

struct MaxUnpool3dBackward : UnpoolBackwardCase<3> {
  static constexpr auto kPhase1 = aclnnMaxUnpool3dBackwardGetWorkspaceSize;
  auto arguments() const { return std::tie(grad_output, self, indices, output_size, stride, padding, out); }
};

struct MaxUnpool3d : UnpoolForwardCase<3> {
  static constexpr auto kPhase1 = aclnnMaxUnpool3dGetWorkspaceSize;
  auto arguments() const { return std::tie(self, indices, output_size, stride, padding, out); }
};

struct MaxUnpool2dBackward : UnpoolBackwardCase<2> {
  static constexpr auto kPhase1 = aclnnMaxUnpool2dBackwardGetWorkspaceSize;
  auto arguments() const { return std::tie(grad_output, self, indices, output_size, out); }
};

struct MaxUnpool2d : UnpoolForwardCase<2> {
  static constexpr auto kPhase1 = aclnnMaxUnpool2dGetWorkspaceSize;
  auto arguments() const { return std::tie(self, indices, output_size, out); }
};

// Phase 1 of a call, as a program sees it.
struct Outcome {
  std::int32_t status;
  std::string message;  // empty on success
  bool outputs_written;
  std::uint64_t workspace_size;
};

// Calls call_phase1(size, executor) as the case wants it called.
Outcome observe(const CaseBase& call,
                const std::function<aclnnStatus(std::uint64_t*, aclOpExecutor**)>& call_phase1);

template <typename Case>
Outcome run(const Case& call) {
  Objects objects;
  const auto given = [&objects](const auto& argument) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(argument)>>) {
      return argument;
    } else {
      return objects.make(argument);
    }
  };
  return std::apply(
      [&](const auto&... arguments) {
        const auto handles = std::make_tuple(given(arguments)...);
        return observe(call, [&](std::uint64_t* size, aclOpExecutor** executor) {
          return std::apply([&](auto... each) { return Case::kPhase1(each..., size, executor); }, handles);
        });
      },
      call.arguments());
}

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

// The same on the named ones.
template <typename Case, std::size_t kCount, typename Body>
void on_products(const std::array<const char*, kCount>& products, Body body) {
  for (const char* product : products) {
    Case call;
    call.product = product;
    body(call);
  }
}

template <typename Case>
void set_value_type(Case& call, aclDataType type) {
  for (TensorSpec* tensor : call.values()) tensor->type = type;
}

// Products other than the portable one refuse the flags that their pages rule out.
template <typename Case>
bool takes_any_format(const Case& call) {
  if constexpr (requires { Case::kStrictFormats; }) return call.product == "portable";
  return true;
}

// Max pooling of DOUBLE is an extension.
template <typename Case>
void double_in_portable_alone(Case call) {
  set_value_type(call, ACL_DOUBLE);
  if (call.product == "portable") return accepts(call);
  refuses(call, "self has data type DOUBLE");
}

template <typename Case>
void set_format(Case& call, aclFormat format) {
  for (TensorSpec* tensor : call.values()) tensor->format = format;
}

// Rules that have a test, as pairs of operator and rule.
std::vector<std::pair<std::string, std::string>>& covered_rules();
bool cover(const char* suite, const char* rule);

}  // namespace contract_test

// The suites of all operators.
// clang-format off
#define UPSAMPLE_OPERATORS(apply)        \
  apply(UpsampleNearest3dBackward)       \
  apply(UpsampleNearest1dBackward)       \
  apply(UpsampleNearest2dBackward)       \
  apply(UpsampleNearestExact1dBackward)  \
  apply(UpsampleNearestExact2dBackward)  \
  apply(UpsampleNearestExact3dBackward)  \
  apply(UpsampleNearest3d)               \
  apply(UpsampleNearest1d)               \
  apply(UpsampleNearest2d)               \
  apply(UpsampleNearest1dV2)             \
  apply(UpsampleNearest2dV2)             \
  apply(UpsampleNearestExact1d)          \
  apply(UpsampleNearestExact2d)          \
  apply(UpsampleNearestExact3d)

#define EVERY_OPERATOR(apply)         \
  apply(MaxPool3dWithArgmaxBackward)  \
  apply(MaxPool2dWithIndicesBackward) \
  apply(MaxPool2dWithMaskBackward)    \
  apply(MaxUnpool3dBackward)          \
  apply(MaxUnpool2dBackward)          \
  apply(MaxPool3dWithArgmax)          \
  apply(MaxPool2dWithIndices)         \
  apply(MaxPool2dWithMask)            \
  apply(MaxPool)                      \
  apply(MaxUnpool3d)                  \
  apply(MaxUnpool2d)                  \
  UPSAMPLE_OPERATORS(apply)

// Those whose outputs may have any strides: of others contiguity says that no two elements share memory.
#define ANY_OUTPUT_STRIDES(apply)     \
  apply(MaxPool3dWithArgmaxBackward)  \
  apply(MaxPool2dWithIndicesBackward) \
  apply(MaxPool2dWithMaskBackward)    \
  apply(MaxUnpool2dBackward)          \
  apply(MaxPool3dWithArgmax)          \
  apply(MaxPool2dWithIndices)         \
  apply(MaxPool2dWithMask)            \
  apply(MaxPool)                      \
  apply(MaxUnpool2d)                  \
  UPSAMPLE_OPERATORS(apply)
// clang-format on

// A test named after its rule, in a suite named after its operator.
#define RULE_TEST(suite, rule)                                                                \
  [[maybe_unused]] const bool covered_##suite##_##rule = contract_test::cover(#suite, #rule); \
  TEST(suite, rule)

// The rule of an operator, where several have it: rule<suite>() tests it.
#define SHARED_RULE(suite, rule) \
  RULE_TEST(suite, rule) { rule<suite>(); }  // NOLINT(bugprone-macro-parentheses)
