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

struct FloatArraySpec {
  const char* name;
  std::vector<float> values;
  Handle handle = Handle::kLive;
};

struct TextSpec {
  const char* text;
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
  aclFloatArray* make(const FloatArraySpec& spec);
  static const char* make(const TextSpec& spec) { return spec.text; }

 private:
  std::vector<aclTensor*> tensors_;
  std::vector<aclIntArray*> arrays_;
  std::vector<aclFloatArray*> float_arrays_;
};

// What every call has besides its own arguments.
struct CaseBase {
  std::string product = "portable";
  bool null_workspace_size = false;
  bool null_executor = false;
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

#define UPSAMPLE_LINEAR_OPERATORS(apply) \
  apply(UpsampleLinear1d)                \
  apply(UpsampleBilinear2d)              \
  apply(UpsampleTrilinear3d)             \
  apply(UpsampleBicubic2d)               \
  apply(UpsampleBilinear2dAA)            \
  apply(UpsampleBicubic2dAA)             \
  apply(UpsampleLinear1dBackward)        \
  apply(UpsampleBilinear2dBackward)      \
  apply(UpsampleBilinear2dBackwardV2)    \
  apply(UpsampleTrilinear3dBackward)     \
  apply(UpsampleBicubic2dBackward)       \
  apply(UpsampleBilinear2dAABackward)    \
  apply(UpsampleBicubic2dAAGrad)

#define ADAPTIVE_MAX_OPERATORS(apply) \
  apply(AdaptiveMaxPool2d)            \
  apply(AdaptiveMaxPool3d)            \
  apply(AdaptiveMaxPool2dBackward)    \
  apply(AdaptiveMaxPool3dBackward)

#define MEAN_OPERATORS(apply)       \
  apply(AvgPool2d)                  \
  apply(AvgPool3d)                  \
  apply(AvgPool2dBackward)          \
  apply(AvgPool3dBackward)          \
  apply(AdaptiveAvgPool2d)          \
  apply(AdaptiveAvgPool3d)          \
  apply(AdaptiveAvgPool2dBackward)  \
  apply(AdaptiveAvgPool3dBackward)

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
  ADAPTIVE_MAX_OPERATORS(apply)       \
  apply(MaxUnpool3d)                  \
  apply(MaxUnpool2d)                  \
  MEAN_OPERATORS(apply)               \
  UPSAMPLE_OPERATORS(apply)           \
  UPSAMPLE_LINEAR_OPERATORS(apply)    \
  apply(Resize)

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
  ADAPTIVE_MAX_OPERATORS(apply)       \
  apply(MaxUnpool2d)                  \
  MEAN_OPERATORS(apply)               \
  UPSAMPLE_OPERATORS(apply)           \
  UPSAMPLE_LINEAR_OPERATORS(apply)    \
  apply(Resize)
// clang-format on

// A test named after its rule, in a suite named after its operator.
#define RULE_TEST(suite, rule)                                                                \
  [[maybe_unused]] const bool covered_##suite##_##rule = contract_test::cover(#suite, #rule); \
  TEST(suite, rule)

// The rule of an operator, where several have it: rule<suite>() tests it.
#define SHARED_RULE(suite, rule) \
  RULE_TEST(suite, rule) { rule<suite>(); }  // NOLINT(bugprone-macro-parentheses)
