#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <sstream>

#include "contract/rule_test.h"
#include "ops/catalogue.h"

// How to find out that a call which breaks two rules is refused by the earlier one.
namespace contract_test {

// Rules that follow each other in every table.
inline const std::string kOpening = "arguments_not_null handles_live product_known operator_offered ";
inline const std::string kGeometry =
    "dims_not_negative strides_not_negative offsets_not_negative sizes_fit views_inside_storage ";

// How to break each rule, by its name.
template <typename Case>
using Breakers = std::map<std::string, std::function<void(Case&)>>;

template <typename Case>
void expect_in_order(const Breakers<Case>& breakers, const std::string& names,
                     const char* product = "atlas-a2") {
  std::istringstream words(names);
  const std::vector<std::string> order{std::istream_iterator<std::string>(words), {}};
  const std::string suite = testing::UnitTest::GetInstance()->current_test_info()->name();
  const cairn::Operator* op = cairn::find_operator("aclnn" + suite);
  ASSERT_NE(op, nullptr);
  std::vector<std::string> listed;
  for (const cairn::RuleInfo& rule : rules_of(*op)) listed.push_back(rule.name);
  EXPECT_EQ(listed, order);
  for (const std::string& rule : order) ASSERT_TRUE(breakers.contains(rule)) << rule;
  for (std::size_t late = 0; late < order.size(); ++late) {
    for (std::size_t early = 0; early <= late; ++early) {
      SCOPED_TRACE(order[early] + " before " + order[late]);
      Case call;
      call.product = product;
      breakers.at(order[late])(call);
      breakers.at(order[early])(call);
      expect_refused(run(call), call.product, order[early], {});
    }
  }
}

// The first tensor with elements, or made to have some: of the others nothing is looked at.
template <typename Case>
TensorSpec& victim(Case& call) {
  for (TensorSpec* tensor : call.tensors())
    if (std::find(tensor->dims.begin(), tensor->dims.end(), 0) == tensor->dims.end()) return *tensor;
  TensorSpec& first = *call.tensors()[0];
  std::replace(first.dims.begin(), first.dims.end(), 0L, 1L);
  return first;
}

template <typename Case>
void overlap(Case& call) {
  TensorSpec& output = *call.outputs().back();
  output.dims = Dims(output.dims.size(), 2);
  output.strides = Dims(output.dims.size(), 0);
}

// What every operator has, and `more`.
template <typename Case>
Breakers<Case> with_common(Breakers<Case> more) {
  const auto private_formats = [](Case& call) {
    for (TensorSpec* tensor : call.tensors()) tensor->format = ACL_FORMAT_FRACTAL_NZ;
  };
  more.merge(Breakers<Case>{
      {"arguments_not_null", [](Case& call) { call.null_executor = true; }},
      {"handles_live", [](Case& call) { call.tensors()[0]->handle = Handle::kMadeUp; }},
      {"product_known", [](Case& call) { call.product = "Ascend910B"; }},
      {"operator_offered", [](Case& call) { call.product = Case::kRefusing.back(); }},
      {"data_types_equal", [](Case& call) { call.outputs()[0]->type = ACL_BF16; }},
      {"formats_public", private_formats},
      {"dims_not_negative", [](Case& call) { victim(call).dims[0] = -1; }},
      {"strides_not_negative", [](Case& call) { victim(call).strides = Dims(victim(call).dims.size(), -1); }},
      {"offsets_not_negative", [](Case& call) { victim(call).offset = -1; }},
      {"sizes_fit", [](Case& call) { victim(call).offset = INT64_MAX; }},
      {"views_inside_storage", [](Case& call) { victim(call).storage = Dims{0}; }}});
  return more;
}

}  // namespace contract_test
