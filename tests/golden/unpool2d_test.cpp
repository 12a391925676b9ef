#include <gtest/gtest.h>

#include <map>

#include "golden/golden_support.h"

// 2D unpooling and its gradient against what PyTorch computed; make_golden_unpool2d.py says why the bits must
// be the same, and where they are not.
namespace golden {
namespace {

using api_test::Outcome;

class GoldenUnpool2d : public api_test::DeviceTest {
 protected:
  static const std::vector<Case>& cases() {
    static const std::vector<Case> all = cases_of(CAIRN_GOLDEN_UNPOOL2D, "CAIRN_GOLDEN_UNPOOL2D_FILE");
    return all;
  }
};

OnDevice input(const GoldenTensor& tensor) { return {tensor, ACL_FORMAT_ND, tensor.bytes}; }

// The result of the case as our operator computes it, through the public functions.
Outcome compute(const Case& it, aclrtStream stream, Bytes& result) {
  const OnDevice first = input(it.tensors[0]);
  const OnDevice indices = input(it.tensors[1]);
  const OnDevice out = OnDevice::to_be_written(it.tensors[2], ACL_FORMAT_ND);
  Outcome outcome;
  if (it.op == Operator::kMaxUnpool2d) {
    outcome = call("aclnnMaxUnpool2d", stream, first, indices, it.arrays[0], out);
  } else {
    const OnDevice self({it.tensors[0].type, it.tensors[1].dims, {}}, ACL_FORMAT_ND, {});
    outcome = call("aclnnMaxUnpool2dBackward", stream, first, self, indices, it.arrays[0], out);
  }
  result = out.content(it.tensors[2].bytes.size());
  return outcome;
}

TEST_F(GoldenUnpool2d, FileHasCasesOfBothOperatorsAndOfConversions) {
  std::map<Operator, int> count;
  int conversions = 0;
  for (const Case& it : cases()) {
    ++count[it.op];
    if (it.op == Operator::kMaxUnpool2dBackward && it.tensors[0].type != it.tensors[2].type) ++conversions;
  }
  EXPECT_GE(count[Operator::kMaxUnpool2d], 60);
  EXPECT_GE(count[Operator::kMaxUnpool2dBackward], 120);
  EXPECT_GE(count[Operator::kPoolUnpool2dStep], 2);
  EXPECT_GE(conversions, 50);
}

TEST_F(GoldenUnpool2d, OperatorsHaveThePyTorchBits) {
  for (const Case& it : cases()) {
    if (it.differs || it.op == Operator::kPoolUnpool2dStep) continue;
    Bytes found;
    const Outcome outcome = compute(it, stream, found);
    ASSERT_TRUE(outcome.succeeded()) << it.name << ": " << outcome;
    EXPECT_EQ(first_difference(it.tensors.back(), found), "") << it.name;
  }
}

// PyTorch converts through float and rounds twice; we round once, as the oracle does.
TEST_F(GoldenUnpool2d, ConversionsThatPyTorchRoundsTwiceAreRoundedOnce) {
  int differing = 0;
  for (const Case& it : cases()) {
    if (!it.differs) continue;
    ++differing;
    Bytes found;
    const Outcome outcome = compute(it, stream, found);
    ASSERT_TRUE(outcome.succeeded()) << it.name << ": " << outcome;
    EXPECT_NE(first_difference(it.tensors.back(), found), "") << it.name;

    const auto spec_of = [&](std::size_t which) {
      const GoldenTensor& tensor = it.tensors[which];
      return conformance::TensorArgument{conformance::Role::kInput,
                                         {tensor.dims, static_cast<aclDataType>(tensor.type)}};
    };
    const conformance::Case call{
        &conformance::subject_named("aclnnMaxUnpool2dBackward"),
        {spec_of(0), spec_of(1), spec_of(1), conformance::ArrayArgument(it.arrays[0]), spec_of(2)}};
    Bytes grad = it.tensors[0].bytes;
    Bytes indices = it.tensors[1].bytes;
    Bytes ours(found.size());
    std::vector<reference::View> views(call.arguments.size());
    views[0] = view_of(call, 0, grad.data());
    views[2] = view_of(call, 2, indices.data());
    views.back() = view_of(call, views.size() - 1, ours.data());
    call.subject->cases->oracle(call, views);
    EXPECT_EQ(found, ours) << it.name;
  }
  EXPECT_GE(differing, 5);
}

void check_step(const Case& it, aclrtStream stream) {
  const auto& dims = it.tensors[0].dims;
  const std::vector<std::int64_t> plane(dims.begin() + 2, dims.end());
  const std::vector<std::int64_t> no_padding{0, 0};
  const std::vector<std::int64_t> ones{1, 1};
  const auto& kernel = it.arrays[0];
  GoldenTensor pooled{it.tensors[0].type, {dims[0], dims[1], dims[2] / kernel[0], dims[3] / kernel[1]}, {}};
  const auto cells = static_cast<std::size_t>(dims[0] * dims[1] * pooled.dims[2] * pooled.dims[3]);
  pooled.bytes.resize(cells * aclDataTypeSize(static_cast<aclDataType>(pooled.type)));

  const OnDevice self = input(it.tensors[0]);
  const OnDevice grad = input(it.tensors[1]);
  const OnDevice out = OnDevice::to_be_written(pooled, ACL_FORMAT_ND);
  const OnDevice indices = OnDevice::to_be_written({ACL_INT64, pooled.dims, Bytes(cells * 8)}, ACL_FORMAT_ND);
  const OnDevice grad_out = OnDevice::to_be_written(pooled, ACL_FORMAT_ND);
  const OnDevice unpooled = OnDevice::to_be_written(it.tensors[2], ACL_FORMAT_ND);
  const OnDevice grad_input = OnDevice::to_be_written(it.tensors[3], ACL_FORMAT_ND);
  for (const Outcome& outcome :
       {call("aclnnMaxPool2dWithIndices", stream, self, kernel, kernel, no_padding, ones, false, out,
             indices),
        call("aclnnMaxUnpool2d", stream, out, indices, plane, unpooled),
        call("aclnnMaxUnpool2dBackward", stream, grad, out, indices, plane, grad_out),
        call("aclnnMaxPool2dWithIndicesBackward", stream, grad_out, self, indices, kernel, kernel, no_padding,
             ones, false, grad_input)})
    ASSERT_TRUE(outcome.succeeded()) << it.name << ": " << outcome;
  EXPECT_EQ(first_difference(it.tensors[2], unpooled.content(it.tensors[2].bytes.size())), "") << it.name;
  EXPECT_EQ(first_difference(it.tensors[3], grad_input.content(it.tensors[3].bytes.size())), "") << it.name;
}

TEST_F(GoldenUnpool2d, ForwardThenBackwardIsPyTorchsAutograd) {
  for (const Case& it : cases())
    if (it.op == Operator::kPoolUnpool2dStep) check_step(it, stream);
}

}  // namespace
}  // namespace golden
