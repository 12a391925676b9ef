#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "golden/golden_support.h"

// The gradients against what PyTorch computed; make_golden.py says why the bits must be the same.
namespace golden {
namespace {

using api_test::Outcome;

class Golden : public api_test::DeviceTest {
 protected:
  static const std::vector<Case>& cases() {
    static const std::vector<Case> all = cases_of(CAIRN_GOLDEN_BACKWARD, "CAIRN_GOLDEN_FILE");
    return all;
  }
};

// The result of the case as our operator computes it, through the public functions.
Outcome compute(const Case& it, aclrtStream stream, Bytes& result) {
  const GoldenTensor& last = it.tensors.back();
  const bool flat = it.op == Operator::kMaxPool2dBackward;
  const aclFormat format = format_of(it, flat);
  const OnDevice grad(it.tensors.front(), format, it.tensors.front().bytes);
  const OnDevice output = OnDevice::to_be_written(last, format);
  const OnDevice self(last, format, {});
  const GoldenTensor& second = it.tensors[1];  // indices, except in upsample, which has none
  const OnDevice indices(second, format, second.bytes);
  const auto& arrays = it.arrays;

  Outcome outcome;
  if (flat || it.op == Operator::kMaxPool3dBackward) {
    outcome = call(flat ? "aclnnMaxPool2dWithIndicesBackward" : "aclnnMaxPool3dWithArgmaxBackward", stream,
                   grad, self, indices, arrays[0], arrays[1], arrays[2], arrays[3], it.ceil_mode, output);
  } else if (it.op == Operator::kMaxUnpool3dBackward) {
    outcome = call("aclnnMaxUnpool3dBackward", stream, grad, self, indices, arrays[0], arrays[1], arrays[2],
                   output);
  } else {
    outcome = call("aclnnUpsampleNearest3dBackward", stream, grad, arrays[0], arrays[1], it.scales[0],
                   it.scales[1], it.scales[2], output);
  }
  result = output.content(last.bytes.size());
  return outcome;
}

TEST_F(Golden, FileHasCasesOfEveryOperator) {
  std::map<Operator, int> count;
  for (const Case& it : cases()) ++count[it.op];
  EXPECT_GE(cases().size(), 200U);
  EXPECT_GE(count[Operator::kMaxPool2dBackward], 40);
  EXPECT_GE(count[Operator::kMaxPool3dBackward], 40);
  EXPECT_GE(count[Operator::kMaxUnpool3dBackward], 30);
  EXPECT_GE(count[Operator::kUpsample3dBackward], 40);
}

TEST_F(Golden, CasesHaveThePyTorchBits) {
  for (const Case& it : cases()) {
    if (it.differs) continue;
    Bytes found;
    const Outcome outcome = compute(it, stream, found);
    ASSERT_TRUE(outcome.succeeded()) << it.name << ": " << outcome;
    EXPECT_EQ(first_difference(it.tensors.back(), found), "") << it.name;
  }
}

conformance::TensorArgument argument_of(const Case& it, std::size_t which) {
  const GoldenTensor& tensor = it.tensors[which];
  return {conformance::Role::kInput,
          {tensor.dims, static_cast<aclDataType>(tensor.type), format_of(it, false)}};
}

// Scales that count all or none, ranges instead of floors: there PyTorch's answer is not ours, and ours is
// the oracle's.
TEST_F(Golden, CasesWhereOurDefinitionDiffersShowIt) {
  int all_or_nothing = 0;
  int range_rule = 0;
  for (const Case& it : cases()) {
    if (!it.differs) continue;
    ASSERT_EQ(it.op, Operator::kUpsample3dBackward) << it.name;
    Bytes found;
    const Outcome outcome = compute(it, stream, found);
    ASSERT_TRUE(outcome.succeeded()) << it.name << ": " << outcome;
    EXPECT_NE(first_difference(it.tensors.back(), found), "") << it.name;

    const conformance::Case call{&conformance::subject_named("aclnnUpsampleNearest3dBackward"),
                                 {argument_of(it, 0), conformance::ArrayArgument(it.arrays[0]),
                                  conformance::ArrayArgument(it.arrays[1]), it.scales[0], it.scales[1],
                                  it.scales[2], argument_of(it, it.tensors.size() - 1)}};
    Bytes grad = it.tensors.front().bytes;
    Bytes ours(found.size());
    std::vector<reference::View> views(call.arguments.size());
    views.front() = view_of(call, 0, grad.data());
    views.back() = view_of(call, views.size() - 1, ours.data());
    call.subject->cases->oracle(call, views);
    EXPECT_EQ(found, ours) << it.name;
    (std::count_if(it.scales.begin(), it.scales.end(), [](double scale) { return scale > 0; }) % 3 == 0
         ? range_rule
         : all_or_nothing)++;
  }
  EXPECT_GE(all_or_nothing, 1);
  EXPECT_GE(range_rule, 1);
}

}  // namespace
}  // namespace golden
