#pragma once

#include <algorithm>
#include <functional>

#include "contract/rule_test.h"
#include "ops/operators.h"

// A call that breaks two rules is refused by the earlier one.
namespace contract_test {

template <typename Case>
struct Breaker {
  const char* rule;
  std::function<void(Case&)> apply;
};

template <typename Case>
void expect_in_order(cairn::Operator op, const std::vector<Breaker<Case>>& breakers) {
  for (const cairn::OperatorInfo& info : cairn::operators()) {
    if (info.op != op) continue;
    const std::vector<cairn::RuleInfo> rules = info.rules();
    ASSERT_EQ(rules.size(), breakers.size());
    for (std::size_t i = 0; i < breakers.size(); ++i) EXPECT_STREQ(rules[i].name, breakers[i].rule);
  }
  for (std::size_t late = 0; late < breakers.size(); ++late) {
    for (std::size_t early = 0; early <= late; ++early) {
      SCOPED_TRACE(std::string(breakers[early].rule) + " before " + breakers[late].rule);
      Case call;
      call.product = "atlas-a2";
      breakers[late].apply(call);
      breakers[early].apply(call);
      expect_refused(run(call), call.product, breakers[early].rule, {});
    }
  }
}

// Rules up to the geometry, the same for every operator but for what lies between.
template <typename Case>
void break_null(Case& call) {
  call.null_executor = true;
}
template <typename Case>
void break_handle(Case& call) {
  call.tensors()[0]->handle = Handle::kMadeUp;
}
template <typename Case>
void break_product(Case& call) {
  call.product = "Ascend910B";
}
template <typename Case>
void break_offer(Case& call) {
  call.product = Case::kRefusing.back();
}
template <typename Case>
void break_format(Case& call) {
  for (TensorSpec* tensor : call.tensors()) tensor->format = ACL_FORMAT_FRACTAL_NZ;
}
// The first tensor with elements: of the others nothing is looked at.
template <typename Case>
TensorSpec& victim(Case& call) {
  for (TensorSpec* tensor : call.tensors())
    if (std::find(tensor->dims.begin(), tensor->dims.end(), 0) == tensor->dims.end()) return *tensor;
  return *call.tensors()[0];
}
template <typename Case>
void break_dims(Case& call) {
  victim(call).dims[0] = -1;
}
template <typename Case>
void break_strides(Case& call) {
  victim(call).strides = Dims(victim(call).dims.size(), -1);
}
template <typename Case>
void break_offset(Case& call) {
  victim(call).offset = -1;
}
template <typename Case>
void break_size(Case& call) {
  victim(call).offset = INT64_MAX;
}
template <typename Case>
void break_storage(Case& call) {
  victim(call).storage = Dims{0};
}
template <typename Case>
void break_overlap(Case& call) {
  TensorSpec& output = *call.outputs().back();
  output.dims = Dims(output.dims.size(), 2);
  output.strides = Dims(output.dims.size(), 0);
}

}  // namespace contract_test
