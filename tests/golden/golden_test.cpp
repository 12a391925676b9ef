#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "golden/golden_support.h"
#include "reference/oracle.h"

// The gradients against what PyTorch computed; make_golden.py says why the bits must be the same.
namespace golden {
namespace {

using api_test::IntArray;
using api_test::Outcome;
using api_test::Tensor;

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
  const aclFormat format = format_of(it, it.op == Operator::kMaxPool2dBackward);
  const OnDevice grad(it.tensors.front(), format, it.tensors.front().bytes);
  const OnDevice output(last, format, Bytes(last.bytes.size(), 0xa5));
  const GoldenTensor& second = it.tensors[1];  // indices, except in upsample, which has none
  const OnDevice indices(second, format, second.bytes);
  std::vector<std::unique_ptr<IntArray>> arrays;
  for (const auto& values : it.arrays) arrays.push_back(std::make_unique<IntArray>(values));
  const Tensor self({last.dims, static_cast<aclDataType>(last.type), format}, nullptr);

  Outcome outcome;
  switch (it.op) {
    case Operator::kMaxPool2dBackward:
    case Operator::kMaxPool3dBackward: {
      const bool flat = it.op == Operator::kMaxPool2dBackward;
      const auto phase1 = flat ? aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize
                               : aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize;
      outcome = api_test::run(
          [&](std::uint64_t* size, aclOpExecutor** executor) {
            return phase1(grad.tensor, self, indices.tensor, *arrays[0], *arrays[1], *arrays[2], *arrays[3],
                          it.ceil_mode, output.tensor, size, executor);
          },
          flat ? aclnnMaxPool2dWithIndicesBackward : aclnnMaxPool3dWithArgmaxBackward, stream);
      break;
    }
    case Operator::kMaxUnpool3dBackward:
      outcome = api_test::run(
          [&](std::uint64_t* size, aclOpExecutor** executor) {
            return aclnnMaxUnpool3dBackwardGetWorkspaceSize(grad.tensor, self, indices.tensor, *arrays[0],
                                                            *arrays[1], *arrays[2], output.tensor, size,
                                                            executor);
          },
          aclnnMaxUnpool3dBackward, stream);
      break;
    default:
      outcome = api_test::run(
          [&](std::uint64_t* size, aclOpExecutor** executor) {
            return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad.tensor, *arrays[0], *arrays[1],
                                                                  it.scales[0], it.scales[1], it.scales[2],
                                                                  output.tensor, size, executor);
          },
          aclnnUpsampleNearest3dBackward, stream);
      break;
  }
  result.resize(last.bytes.size());
  output.buffer.download(result.data());
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

reference::View upsample_view(Bytes& bytes, const GoldenTensor& tensor, bool channels_last) {
  reference::Sizes order{0, 1, 2, 3, 4};
  if (channels_last) order = {0, 2, 3, 4, 1};
  reference::View view{bytes.data(), reference_type(tensor.type), {}, {}};
  std::int64_t next = 1;
  for (std::size_t i = 5; i-- > 0;) {
    const auto axis = static_cast<std::size_t>(order[i]);
    view.size[axis] = tensor.dims[i];
    view.stride[axis] = next;
    next *= tensor.dims[i];
  }
  return view;
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

    Bytes grad = it.tensors.front().bytes;
    Bytes ours(found.size());
    const reference::View grad_view = upsample_view(grad, it.tensors.front(), it.channels_last);
    const reference::View our_view = upsample_view(ours, it.tensors.back(), it.channels_last);
    const auto spatial = [](const reference::View& view) {
      return reference::Triple{view.size[2], view.size[3], view.size[4]};
    };
    upsample_nearest_backward(grad_view, our_view,
                              reference::upsample_scales(spatial(our_view), spatial(grad_view), it.scales));
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
