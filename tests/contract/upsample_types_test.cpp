// Which data types upsampling and its gradients take on each product.

#include <algorithm>

#include "contract/upsample_cases.h"

namespace contract_test {
namespace {

using Types = std::vector<aclDataType>;

const Types kFive = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_UINT8};
const Types kFour = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
const Types kThree = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

// Which types each product allows: portable, A2 and A3, 950, training, inference.
template <typename Case>
void types_allowed(const Types& portable, const Types& a2, const Types& ascend950, const Types& training,
                   const Types& inference) {
  on_each_product<Case>([&](Case& call) {
    const Types& allowed = call.product == "portable"          ? portable
                           : call.product == "ascend950"       ? ascend950
                           : call.product == "atlas-training"  ? training
                           : call.product == "atlas-inference" ? inference
                                                               : a2;
    for (const aclDataType type :
         {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_UINT8, ACL_INT8, ACL_INT32, ACL_BOOL}) {
      for (TensorSpec* tensor : call.tensors()) tensor->type = type;
      if (std::find(allowed.begin(), allowed.end(), type) != allowed.end()) {
        accepts(call);
      } else {
        refuses(call, call.tensors()[0]->name, "has data type", "FLOAT16");
      }
    }
  });
}

const Types kFloats = {ACL_FLOAT, ACL_FLOAT16};
const Types kOlderLine = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_UINT8};
const Types kHost = {ACL_FLOAT16, ACL_DOUBLE, ACL_UINT8};
const Types kWithBytes = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_UINT8};
const Types kHalf = {ACL_FLOAT16};

RULE_TEST(UpsampleNearest3d, data_type_supported) {
  types_allowed<UpsampleNearest3d>(kFive, kFour, kFive, {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE}, kFloats);
}
RULE_TEST(UpsampleNearest1d, data_type_supported) {
  types_allowed<UpsampleNearest1d>(kFive, kFive, kFive, kOlderLine, kOlderLine);
}
RULE_TEST(UpsampleNearest1dV2, data_type_supported) {
  types_allowed<UpsampleNearest1dV2>(kFive, kFive, kFive, kOlderLine, kOlderLine);
}
RULE_TEST(UpsampleNearest2d, data_type_supported) {
  types_allowed<UpsampleNearest2d>(kFive, kFive, kFive, kHost, kHost);
}
RULE_TEST(UpsampleNearest2dV2, data_type_supported) {
  types_allowed<UpsampleNearest2dV2>(kFive, kFive, kFive, kHost, kHost);
}
RULE_TEST(UpsampleNearestExact1d, data_type_supported) {
  types_allowed<UpsampleNearestExact1d>(kFive, kWithBytes, kThree, {}, kFloats);
}
RULE_TEST(UpsampleNearestExact2d, data_type_supported) {
  types_allowed<UpsampleNearestExact2d>(kFive, kWithBytes, kThree, {}, kFloats);
}
RULE_TEST(UpsampleNearestExact3d, data_type_supported) {
  types_allowed<UpsampleNearestExact3d>(kFive, kThree, kThree, {}, kFloats);
}
RULE_TEST(UpsampleNearest3dBackward, data_type_supported) {
  types_allowed<UpsampleNearest3dBackward>(kFour, kFour, {}, kFour, {});
}
RULE_TEST(UpsampleNearest1dBackward, data_type_supported) {
  types_allowed<UpsampleNearest1dBackward>(kFour, kFour, kFour, kHalf, kHalf);
}
RULE_TEST(UpsampleNearest2dBackward, data_type_supported) {
  types_allowed<UpsampleNearest2dBackward>(kFour, kThree, kThree, kHalf, kHalf);
}
RULE_TEST(UpsampleNearestExact1dBackward, data_type_supported) {
  types_allowed<UpsampleNearestExact1dBackward>(kFour, kThree, kThree, {}, {});
}
RULE_TEST(UpsampleNearestExact2dBackward, data_type_supported) {
  types_allowed<UpsampleNearestExact2dBackward>(kFour, kThree, kThree, {}, {});
}
RULE_TEST(UpsampleNearestExact3dBackward, data_type_supported) {
  types_allowed<UpsampleNearestExact3dBackward>(kFour, kThree, kThree, {}, {});
}

}  // namespace
}  // namespace contract_test
