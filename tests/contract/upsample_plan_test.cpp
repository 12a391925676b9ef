#include <limits>

#include "aclnnop/aclnn_ops_cv.h"
#include "contract/plan_test.h"
#include "ops/upsample_nearest/plan.h"
#include "ops/upsample_nearest_backward/plan.h"

// What phase 1 of upsampling in fewer axes, and by centres, makes of scales, axes and the order of inputSize.
namespace contract_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class UpsampleFamilyPlans : public Plans {
 protected:
  using Forward = cairn::upsample_nearest::Plan;
  using Backward = cairn::upsample_nearest_backward::Plan;

  template <typename Plan>
  static std::array<float, 3> scales(const Plan& plan) {
    return {plan.scale_d, plan.scale_h, plan.scale_w};
  }

  std::array<float, 3> exact2d(double h, double w) {
    EXPECT_EQ(aclnnUpsampleNearestExact2dGetWorkspaceSize(tensor({1, 1, 3, 3}), array({5, 7}), h, w,
                                                          tensor({1, 1, 5, 7}), &workspace_size, &executor),
              0)
        << runtime.error;
    EXPECT_EQ(plan<Forward>().shift, 0.5F);
    return scales(plan<Forward>());
  }
  std::array<float, 3> nearest2d_v2(float h, float w) {
    EXPECT_EQ(aclnnUpsampleNearest2dV2GetWorkspaceSize(tensor({1, 1, 3, 3}), array({5, 7}), h, w,
                                                       tensor({1, 1, 5, 7}), &workspace_size, &executor),
              0)
        << runtime.error;
    EXPECT_EQ(plan<Forward>().shift, 0.0F);
    return scales(plan<Forward>());
  }
  std::array<float, 3> backward1d(double scale) {
    runtime = {};
    EXPECT_EQ(
        aclnnUpsampleNearest1dBackwardGetWorkspaceSize(tensor({1, 1, 7}), array({7}), array({1, 1, 3}), scale,
                                                       tensor({1, 1, 3}), &workspace_size, &executor),
        0)
        << runtime.error;
    return scales(plan<Backward>());
  }
};

TEST_F(UpsampleFamilyPlans, MissingAxesHaveOneCell) {
  ASSERT_EQ(aclnnUpsampleNearest1dGetWorkspaceSize(tensor({2, 3, 4}, ACL_UINT8, ACL_FORMAT_NDHWC), array({8}),
                                                   tensor({2, 3, 8}, ACL_UINT8), &workspace_size, &executor),
            0)
      << runtime.error;
  const auto result = plan<Forward>();
  expect_planes(result, 2, 3);
  expect_size(result.in, 1, 1, 4);
  expect_size(result.out, 1, 1, 8);
  EXPECT_EQ(scales(result), (std::array<float, 3>{1, 1, 0.5F}));
  expect_view(result.self, {12, 4, 0, 0, 1}, 0);
}

TEST_F(UpsampleFamilyPlans, EachScaleAlone) {
  const float by_size_h = 3.0F / 5.0F;
  const float by_size_w = 3.0F / 7.0F;
  EXPECT_EQ(exact2d(2, 2.5), (std::array<float, 3>{1, 0.5F, 0.4F}));
  for (const double off : {0.0, -1.0, 1e60, 1e-60, kNan}) {
    EXPECT_EQ(exact2d(off, 2.5), (std::array<float, 3>{1, by_size_h, 0.4F}));
    EXPECT_EQ(exact2d(2, off), (std::array<float, 3>{1, 0.5F, by_size_w}));
  }
  EXPECT_EQ(nearest2d_v2(2, 2.5F), (std::array<float, 3>{1, 0.5F, 0.4F}));
  EXPECT_EQ(nearest2d_v2(0, 2.5F), (std::array<float, 3>{1, by_size_h, by_size_w}));
  EXPECT_EQ(nearest2d_v2(2, -1), (std::array<float, 3>{1, by_size_h, by_size_w}));
}

TEST_F(UpsampleFamilyPlans, AScaleOfALineCountsIfItGivesTheSize) {
  const std::array<float, 3> by_size{1, 1, 7.0F / 3.0F};
  for (const char* product : {"portable", "atlas-a2"}) {
    setenv("CAIRN_PRODUCT", product, 1);
    EXPECT_EQ(backward1d(2.5), (std::array<float, 3>{1, 1, 2.5F}));  // 7.5 has 7 whole ones
    EXPECT_EQ(runtime.warning, "");
    EXPECT_EQ(backward1d(2.7), by_size);
    const bool warned = runtime.warning.find("scales 2.7 does not give outputSize [7]") != std::string::npos;
    EXPECT_EQ(warned, std::string(product) == "atlas-a2") << runtime.warning;
    for (const double off : {0.0, -2.5, kNan}) {
      EXPECT_EQ(backward1d(off), by_size);
      EXPECT_EQ(runtime.warning, "");
    }
  }
}

TEST_F(UpsampleFamilyPlans, InputSizeOfImagesFollowsTheFlag) {
  const auto format = ACL_FORMAT_NHWC;
  for (const char* product : {"portable", "atlas-a2"}) {
    setenv("CAIRN_PRODUCT", product, 1);
    for (const Dims& input_size : {Dims{2, 3, 4, 5}, Dims{2, 5, 3, 4}}) {
      runtime = {};
      ASSERT_EQ(aclnnUpsampleNearest2dBackwardGetWorkspaceSize(
                    tensor({2, 6, 8, 5}, ACL_FLOAT, format), array({6, 8}), array(input_size), 0, 0,
                    tensor({2, 3, 4, 5}, ACL_FLOAT, format), &workspace_size, &executor),
                0)
          << runtime.error;
      const auto result = plan<Backward>();
      expect_planes(result, 2, 5);
      expect_size(result.in, 1, 3, 4);
      EXPECT_EQ(result.shift, 0.0F);
      const bool warned = runtime.warning.find("inputSize is [2,5,3,4]") != std::string::npos;
      EXPECT_EQ(warned, std::string(product) == "atlas-a2" && input_size[1] == 5) << runtime.warning;
    }
  }
}

}  // namespace
}  // namespace contract_test
