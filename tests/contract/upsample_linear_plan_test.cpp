#include <limits>

#include "aclnnop/aclnn_ops_cv.h"
#include "contract/plan_test.h"
#include "ops/upsample_linear/plan.h"
#include "ops/upsample_linear_backward/plan.h"

// What phase 1 of linear, cubic and antialiased upsampling makes of scales, corners, axes and types.
namespace contract_test {
namespace {

using cairn::Filter;
using cairn::FilterAxis;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class UpsampleLinearPlans : public Plans {
 protected:
  using Forward = cairn::upsample_linear::Plan;
  using Backward = cairn::upsample_linear_backward::Plan;

  Forward bicubic(double h, double w, bool align_corners = false) {
    EXPECT_EQ(aclnnUpsampleBicubic2dGetWorkspaceSize(tensor({2, 3, 4, 5}), array({8, 11}), align_corners, h,
                                                     w, tensor({2, 3, 8, 11}), &workspace_size, &executor),
              0)
        << runtime.error;
    return plan<Forward>();
  }
  Forward trilinear(double d, double h, double w) {
    EXPECT_EQ(
        aclnnUpsampleTrilinear3dGetWorkspaceSize(tensor({1, 1, 2, 3, 4}), array({4, 6, 8}), false, d, h, w,
                                                 tensor({1, 1, 4, 6, 8}), &workspace_size, &executor),
        0)
        << runtime.error;
    return plan<Forward>();
  }
};

TEST_F(UpsampleLinearPlans, AxesHaveSizesFilterAndCorners) {
  const Forward result = bicubic(2, 0);
  expect_planes(result, 2, 3);
  EXPECT_EQ(result.d, FilterAxis{});
  EXPECT_EQ(result.h, (FilterAxis{.in = 4, .out = 8, .scale = 2, .filter = Filter::kCubic}));
  EXPECT_EQ(result.w, (FilterAxis{.in = 5, .out = 11, .filter = Filter::kCubic}));
  expect_view(result.self, {60, 20, 0, 5, 1}, 0);
  const Forward aligned = bicubic(2, 2, true);
  EXPECT_EQ(aligned.h, (FilterAxis{.in = 4, .out = 8, .filter = Filter::kCubic, .align_corners = true}));
}

TEST_F(UpsampleLinearPlans, EachScaleAloneInTwoAxes) {
  for (const double off : {0.0, -1.0, kNan, kInfinity, 5e-324}) {
    EXPECT_EQ(bicubic(off, 2.2).h.scale, 0) << off;
    EXPECT_EQ(bicubic(off, 2.2).w.scale, 2.2) << off;
  }
  // Past a float, but not past its reciprocal in double.
  EXPECT_EQ(bicubic(1e-300, 2.2).h.scale, 1e-300);
}

TEST_F(UpsampleLinearPlans, ScalesTogetherInThree) {
  EXPECT_EQ(trilinear(2, 2.1, 2.2).d.scale, 2);
  EXPECT_EQ(trilinear(2, 2.1, 2.2).w.scale, 2.2);
  for (const double off : {0.0, -1.0, kNan, kInfinity}) {
    const Forward result = trilinear(2, off, 2.2);
    EXPECT_EQ(result.d.scale, 0);
    EXPECT_EQ(result.h.scale, 0);
    EXPECT_EQ(result.w.scale, 0);
  }
}

TEST_F(UpsampleLinearPlans, GradientsMayBeRounded) {
  const auto format = ACL_FORMAT_NHWC;
  ASSERT_EQ(aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(
                tensor({2, 6, 8, 5}, ACL_FLOAT, format), array({6, 8}), array({2, 3, 4, 5}), true, 0, 0,
                tensor({2, 3, 4, 5}, ACL_BF16, format), &workspace_size, &executor),
            0)
      << runtime.error;
  const auto result = plan<Backward>();
  expect_planes(result, 2, 5);
  EXPECT_EQ(result.type, cairn::DataType::kFloat);
  EXPECT_EQ(result.out_type, cairn::DataType::kBf16);
  EXPECT_EQ(result.h, (FilterAxis{.in = 3, .out = 6, .align_corners = true}));
  EXPECT_EQ(result.w, (FilterAxis{.in = 4, .out = 8, .align_corners = true}));
  expect_view(result.grad_input, {60, 1, 0, 20, 5}, 0);
}

}  // namespace
}  // namespace contract_test
