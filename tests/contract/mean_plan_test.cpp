// The plans of mean pooling: the windows as kernels look for them, what they are divided by, and the views.

#include "aclnnop/aclnn_ops_nn.h"
#include "contract/plan_test.h"
#include "ops/mean_pool/plan.h"
#include "ops/mean_pool_backward/plan.h"

namespace contract_test {
namespace {

using cairn::DataType;
using cairn::MeanAxis;
using cairn::MeanDivisor;

class MeanPlans : public Plans {
 protected:
  using Forward = cairn::mean_pool::Plan;
  using Backward = cairn::mean_pool_backward::Plan;

  // AvgPool2d over 2 x 3 planes of 8 x 10.
  Forward images(const Dims& kernel, const Dims& stride, const Dims& padding, const Dims& out, bool ceil_mode,
                 bool count_include_pad, std::int64_t divisor) {
    EXPECT_EQ(aclnnAvgPool2dGetWorkspaceSize(tensor({2, 3, 8, 10}), array(kernel), array(stride),
                                             array(padding), ceil_mode, count_include_pad, divisor, 0,
                                             tensor({2, 3, out[0], out[1]}), &workspace_size, &executor),
              0);
    return plan<Forward>();
  }
};

void expect_axis(const MeanAxis& axis, std::int64_t in, std::int64_t out, std::int64_t kernel,
                 std::int64_t stride, std::int64_t padding) {
  EXPECT_EQ(axis.in, in);
  EXPECT_EQ(axis.out, out);
  EXPECT_EQ(axis.kernel, kernel);
  EXPECT_EQ(axis.stride, stride);
  EXPECT_EQ(axis.padding, padding);
}

void expect_one_divisor(const MeanDivisor& divisor, double value) {
  EXPECT_TRUE(divisor.is_one());
  EXPECT_EQ(divisor.given[0], value);
}

TEST_F(MeanPlans, HaveTheWindowsOfTheCall) {
  const Forward result = images({3, 2}, {2, 1}, {1, 0}, {4, 9}, false, true, 0);
  EXPECT_EQ(result.type, DataType::kFloat);
  expect_planes(result, 2, 3);
  expect_axis(result.d, 1, 1, 1, 1, 0);
  expect_axis(result.h, 8, 4, 3, 2, 1);
  expect_axis(result.w, 10, 9, 2, 1, 0);
  expect_one_divisor(result.divisor, 6);
  expect_view(result.self, {240, 80, 0, 10, 1}, 0);
  expect_view(result.values, {108, 36, 0, 9, 1}, 0);
  expect_uses({kRead, kWrite}, {"self", "out"});
}

TEST_F(MeanPlans, DivideByOneNumberWhereAllWindowsHaveIt) {
  expect_one_divisor(images({2, 2}, {}, {0, 0}, {4, 5}, false, false, 0).divisor, 4);
  expect_one_divisor(images({3, 3}, {2, 2}, {1, 1}, {4, 5}, false, false, -7).divisor, -7);
  const Forward some = images({3, 3}, {2, 2}, {1, 1}, {4, 5}, false, false, 0);
  EXPECT_TRUE(some.divisor.by_taps);
}

TEST_F(MeanPlans, CountPaddingButNotWhatLiesBehindIt) {
  // Rounded up, the last windows reach past the padding: of 3 cells along H 2 count, of 4 along W 3.
  const Forward result = images({3, 4}, {2, 3}, {1, 1}, {5, 4}, true, true, 0);
  EXPECT_FALSE(result.divisor.by_taps);
  EXPECT_EQ(result.divisor.of(true, false, false), 12);
  EXPECT_EQ(result.divisor.of(true, true, false), 8);
  EXPECT_EQ(result.divisor.of(true, false, true), 9);
  EXPECT_EQ(result.divisor.of(true, true, true), 6);
}

TEST_F(MeanPlans, MakeOneAxisOfAWindowThatIsThePlane) {
  ASSERT_EQ(
      aclnnAdaptiveAvgPool2dGetWorkspaceSize(tensor({2, 3, 7, 7}, ACL_BF16), array({1, 1}),
                                             tensor({2, 3, 1, 1}, ACL_BF16), &workspace_size, &executor),
      0);
  const auto result = plan<Forward>();
  EXPECT_EQ(result.type, DataType::kBf16);
  expect_axis(result.d, 1, 1, 1, 1, 0);
  expect_axis(result.h, 1, 1, 1, 1, 0);
  expect_axis(result.w, 49, 1, 49, 49, 0);
  expect_one_divisor(result.divisor, 49);
}

TEST_F(MeanPlans, KnowAdaptiveWindowsThatAreAllAlike) {
  ASSERT_EQ(aclnnAdaptiveAvgPool3dGetWorkspaceSize(tensor({2, 3, 6, 8, 10}), array({3, 3, 5}),
                                                   tensor({2, 3, 3, 3, 5}), &workspace_size, &executor),
            0);
  const auto result = plan<Forward>();
  expect_axis(result.d, 6, 3, 2, 2, 0);
  EXPECT_TRUE(result.h.is_adaptive());
  EXPECT_EQ(result.h.out, 3);
  expect_axis(result.w, 10, 5, 2, 2, 0);
  EXPECT_TRUE(result.divisor.by_taps);
}

TEST_F(MeanPlans, OfGradientsReadGradientsAndWriteTheShapeOfSelf) {
  ASSERT_EQ(aclnnAvgPool3dBackwardGetWorkspaceSize(tensor({1, 2, 4, 5, 6}), tensor({1, 2, 8, 10, 12}),
                                                   array({2}), array({}), array({0}), false, true, 0,
                                                   tensor({1, 2, 8, 10, 12}), &workspace_size, &executor),
            0);
  const auto result = plan<Backward>();
  EXPECT_EQ(result.type, DataType::kFloat);
  expect_planes(result, 1, 2);
  expect_axis(result.d, 8, 4, 2, 2, 0);
  expect_axis(result.h, 10, 5, 2, 2, 0);
  expect_axis(result.w, 12, 6, 2, 2, 0);
  expect_one_divisor(result.divisor, 8);
  expect_view(result.grad_output, {0, 120, 30, 6, 1}, 0);
  expect_view(result.grad_input, {0, 960, 120, 12, 1}, 0);
  expect_uses({kRead, kUnused, kWrite}, {"gradOutput", "self", "output"});
}

TEST_F(MeanPlans, OfGradientsTakeChannelsThatLieLast) {
  ASSERT_EQ(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize(
                tensor({2, 1, 1, 16}, ACL_FLOAT16, ACL_FORMAT_NHWC),
                tensor({2, 4, 5, 16}, ACL_FLOAT16, ACL_FORMAT_NHWC),
                tensor({2, 4, 5, 16}, ACL_FLOAT16, ACL_FORMAT_NHWC), &workspace_size, &executor),
            0);
  const auto result = plan<Backward>();
  EXPECT_EQ(result.type, DataType::kFloat16);
  expect_planes(result, 2, 16);
  expect_axis(result.w, 20, 1, 20, 20, 0);
  expect_one_divisor(result.divisor, 20);
  EXPECT_EQ(result.grad_input.c, 1);
  EXPECT_EQ(result.grad_input.w, 16);
  EXPECT_EQ(result.grad_output.c, 1);
}

}  // namespace
}  // namespace contract_test
