// The plans of the forward operators.

#include <limits>

#include "aclnnop/aclnn_ops_cv.h"
#include "aclnnop/aclnn_ops_nn.h"
#include "contract/plan_test.h"
#include "ops/max_pool/contract.h"
#include "ops/max_pool/plan.h"
#include "ops/max_unpool/contract.h"
#include "ops/max_unpool/plan.h"
#include "ops/upsample_nearest/contract.h"
#include "ops/upsample_nearest/plan.h"

namespace contract_test {
namespace {

class MaxPoolForwardPlans : public PoolPlans {
 protected:
  using Plan = cairn::max_pool::Plan;
  static constexpr auto k3d = aclnnMaxPool3dWithArgmaxGetWorkspaceSize;
  static constexpr auto k2d = aclnnMaxPool2dWithIndicesGetWorkspaceSize;

  cairn::Status call(decltype(k3d) phase1, aclTensor* self, const Windows& windows, aclTensor* out,
                     aclTensor* indices) {
    return phase1(self, array(windows.kernel_size), array(windows.stride), array(windows.padding),
                  array(windows.dilation), windows.ceil_mode, out, indices, &workspace_size, &executor);
  }
};

TEST_F(MaxPoolForwardPlans, VolumesWithoutBatch) {
  ASSERT_EQ(call(k3d, tensor({3, 4, 7, 9}, {1, 3, 12, 84}, ACL_FLOAT16, ACL_FORMAT_ND, 2),
                 {{2, 3, 3}, {}, {0, 1, 1}, {1}, true}, tensor({3, 2, 3, 4}, ACL_FLOAT16),
                 tensor({3, 2, 3, 4}, {24, 12, 4, 1}, ACL_INT64, ACL_FORMAT_ND, 6)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  EXPECT_EQ(result.type, cairn::DataType::kFloat16);
  EXPECT_EQ(result.index_type, cairn::DataType::kInt64);
  expect_planes(result, 1, 3);
  expect_size(result.in, 4, 7, 9);
  expect_size(result.out, 2, 3, 4);
  expect_windows(result, {2, 3, 3}, {2, 3, 3}, {0, 1, 1}, {1, 1, 1});
  expect_view(result.self, {0, 1, 3, 12, 84}, 2);
  expect_view(result.values, {0, 24, 12, 4, 1}, 0);
  expect_view(result.indices, {0, 24, 12, 4, 1}, 6);
  expect_uses({kRead, kWrite, kWrite}, {"self", "out", "indices"});
  EXPECT_FALSE(tensors.planned->empty);

  static char memory[100];
  const auto addresses = bound<Plan>({&memory[0], &memory[1], &memory[2]});
  EXPECT_EQ(addresses.self.data, &memory[4]);
  EXPECT_EQ(addresses.values.data, &memory[1]);
  EXPECT_EQ(addresses.indices.data, &memory[50]);
}

TEST_F(MaxPoolForwardPlans, ImagesAreVolumesOfDepthOne) {
  const auto format = ACL_FORMAT_NHWC;
  ASSERT_EQ(call(k2d, tensor({2, 6, 8, 5}, ACL_BF16, format), {{2, 2}, {2, 2}, {1, 0}, {1, 3}, true},
                 tensor({2, 4, 3, 5}, ACL_BF16, format), tensor({2, 4, 3, 5}, ACL_INT32)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  EXPECT_EQ(result.c, 5);
  expect_size(result.in, 1, 6, 8);
  expect_size(result.out, 1, 4, 3);
  expect_windows(result, {1, 2, 2}, {1, 2, 2}, {0, 1, 0}, {1, 1, 3});
  expect_view(result.self, {240, 1, 0, 40, 5}, 0);
  expect_view(result.values, {60, 1, 0, 15, 5}, 0);
}

TEST_F(MaxPoolForwardPlans, EmptyWhenNothingIsWritten) {
  const Windows windows = {{2}, {2}, {0}, {1}};
  ASSERT_EQ(call(k3d, tensor({1, 3, 0, 8, 10}), windows, tensor({1, 3, 0, 4, 5}),
                 tensor({1, 3, 0, 4, 5}, ACL_INT32)),
            0);
  EXPECT_TRUE(tensors.planned->empty);
  // A window of padding only, over a plane without positions.
  ASSERT_EQ(call(k3d, tensor({1, 3, 0, 8, 10}), {{2}, {2}, {1, 0, 0}, {1}}, tensor({1, 3, 1, 4, 5}),
                 tensor({1, 3, 1, 4, 5}, ACL_INT32)),
            0);
  EXPECT_FALSE(tensors.planned->empty);
}

TEST_F(MaxPoolForwardPlans, AbsurdWindowsAreCutToThePlane) {
  const auto huge = std::numeric_limits<std::int64_t>::max();
  ASSERT_EQ(call(k3d, tensor({1, 1, 3, 3, 3}), {{huge - 1}, {huge}, {huge / 2}, {1}, true},
                 tensor({1, 1, 1, 1, 1}), tensor({1, 1, 1, 1, 1}, ACL_INT32)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  expect_size(result.kernel, 3, 3, 3);
  expect_size(result.stride, 3, 3, 3);
  expect_size(result.padding, 0, 0, 0);
}

TEST_F(MaxPoolForwardPlans, AxesOfOneCellAndOneWindowComeFirst) {
  const auto format = ACL_FORMAT_NDHWC;
  ASSERT_EQ(call(k3d, tensor({2, 9, 1, 1, 5}, ACL_FLOAT, format), {{2, 3, 1}, {2, 1, 1}, {0, 1, 0}, {1}},
                 tensor({2, 4, 1, 1, 5}, ACL_FLOAT, format), tensor({2, 4, 1, 1, 5}, ACL_INT32, format)),
            0)
      << runtime.error;
  auto result = plan<Plan>();
  expect_size(result.in, 1, 1, 9);
  expect_size(result.out, 1, 1, 4);
  expect_windows(result, {1, 1, 2}, {1, 1, 2}, {0, 0, 0}, {1, 1, 1});
  expect_view(result.self, {45, 1, 0, 0, 5}, 0);
  expect_view(result.values, {20, 1, 0, 0, 5}, 0);
  expect_view(result.indices, {20, 1, 0, 0, 5}, 0);
  ASSERT_EQ(call(k3d, tensor({2, 3, 1, 6, 1}), {{1, 2, 1}, {1}, {0}, {1}}, tensor({2, 3, 1, 5, 1}),
                 tensor({2, 3, 1, 5, 1}, ACL_INT32)),
            0)
      << runtime.error;
  result = plan<Plan>();
  expect_size(result.in, 1, 1, 6);
  expect_view(result.self, {18, 6, 0, 0, 1}, 0);
  // Two windows over one cell, and one window without any.
  ASSERT_EQ(call(k3d, tensor({1, 1, 4, 1, 1}), {{1, 2, 2}, {1}, {0, 1, 1}, {1, 1, 2}},
                 tensor({1, 1, 4, 2, 1}), tensor({1, 1, 4, 2, 1}, ACL_INT32)),
            0)
      << runtime.error;
  result = plan<Plan>();
  expect_size(result.in, 4, 1, 1);
  expect_size(result.out, 4, 2, 1);
  expect_windows(result, {1, 2, 2}, {1, 1, 1}, {0, 1, 1}, {1, 1, 2});
}

class MaxUnpoolForwardPlans : public Plans {
 protected:
  using Plan = cairn::max_unpool::Plan;

  cairn::Status call(aclTensor* self, aclTensor* indices, const Dims& output_size, aclTensor* out_ref) {
    return aclnnMaxUnpool3dGetWorkspaceSize(self, indices, array(output_size), array({1, 1, 1}),
                                            array({0, 0, 0}), out_ref, &workspace_size, &executor);
  }
};

TEST_F(MaxUnpoolForwardPlans, FiveDimensions) {
  ASSERT_EQ(call(tensor({2, 3, 2, 2, 2}, {0, 0, 0, 0, 0}, ACL_INT16, ACL_FORMAT_ND, 3),
                 tensor({2, 3, 2, 2, 2}, ACL_INT32), {4, 5, 6},
                 tensor({2, 3, 4, 5, 6}, {360, 120, 30, 6, 1}, ACL_INT16, ACL_FORMAT_ND, 1)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  EXPECT_EQ(result.type, cairn::DataType::kInt16);
  EXPECT_EQ(result.index_type, cairn::DataType::kInt32);
  expect_planes(result, 2, 3);
  expect_size(result.pooled, 2, 2, 2);
  expect_size(result.unpooled, 4, 5, 6);
  expect_view(result.self, {0, 0, 0, 0, 0}, 3);
  expect_view(result.indices, {24, 8, 4, 2, 1}, 0);
  expect_view(result.out, {360, 120, 30, 6, 1}, 1);
  expect_uses({kRead, kRead, kWrite}, {"self", "indices", "outRef"});

  static char memory[100];
  const auto addresses = bound<Plan>({&memory[0], &memory[1], &memory[2]});
  EXPECT_EQ(addresses.self.data, &memory[6]);
  EXPECT_EQ(addresses.indices.data, &memory[1]);
  EXPECT_EQ(addresses.out.data, &memory[2] + 2);
}

TEST_F(MaxUnpoolForwardPlans, FourDimensionsHaveNoChannels) {
  ASSERT_EQ(call(tensor({2, 2, 2, 2}), tensor({2, 2, 2, 2}, ACL_INT64), {4, 5, 6}, tensor({2, 4, 5, 6})), 0)
      << runtime.error;
  const auto result = plan<Plan>();
  expect_planes(result, 2, 1);
  expect_view(result.self, {8, 0, 4, 2, 1}, 0);
  expect_view(result.out, {120, 0, 30, 6, 1}, 0);
}

class UpsampleForwardPlans : public Plans {
 protected:
  using Plan = cairn::upsample_nearest::Plan;

  cairn::Status call(aclTensor* self, const Dims& output_size, const std::array<double, 3>& scales,
                     aclTensor* out) {
    return aclnnUpsampleNearest3dGetWorkspaceSize(self, array(output_size), scales[0], scales[1], scales[2],
                                                  out, &workspace_size, &executor);
  }

  void expect_steps(const std::array<double, 3>& given, float d, float h, float w) {
    ASSERT_EQ(call(tensor({1, 1, 3, 3, 3}), {5, 7, 9}, given, tensor({1, 1, 5, 7, 9})), 0) << runtime.error;
    const auto result = plan<Plan>();
    EXPECT_EQ(result.scale_d, d);
    EXPECT_EQ(result.scale_h, h);
    EXPECT_EQ(result.scale_w, w);
  }
};

TEST_F(UpsampleForwardPlans, ChannelsLast) {
  ASSERT_EQ(call(tensor({2, 2, 3, 4, 5}, ACL_UINT8, ACL_FORMAT_NDHWC), {4, 6, 8}, {},
                 tensor({2, 4, 6, 8, 5}, ACL_UINT8, ACL_FORMAT_NDHWC)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  EXPECT_EQ(result.type, cairn::DataType::kUint8);
  expect_planes(result, 2, 5);
  expect_size(result.in, 2, 3, 4);
  expect_size(result.out, 4, 6, 8);
  expect_view(result.self, {120, 1, 60, 20, 5}, 0);
  expect_view(result.values, {960, 1, 240, 40, 5}, 0);
  expect_uses({kRead, kWrite}, {"self", "out"});

  static char memory[100];
  const auto addresses = bound<Plan>({&memory[0], &memory[1]});
  EXPECT_EQ(addresses.self.data, &memory[0]);
  EXPECT_EQ(addresses.values.data, &memory[1]);
}

TEST_F(UpsampleForwardPlans, StepsAreReciprocalsOfScalesOrRatiosOfSizes) {
  const float d = 3.0F / 5.0F;
  const float h = 3.0F / 7.0F;
  const float w = 3.0F / 9.0F;
  expect_steps({0, 0, 0}, d, h, w);
  expect_steps({2.5, 4, 1e10}, 0.4F, 0.25F, 1e-10F);
  // The reciprocal is made in double: that of a scale rounded to float is another float.
  expect_steps({26.0 / 6, 1, 1}, static_cast<float>(6.0 / 26), 1, 1);
  EXPECT_NE(static_cast<float>(6.0 / 26), 1.0F / static_cast<float>(26.0 / 6));
  // One that does not count takes the others with it.
  for (const double off : {0.0, -1.0, 1e60, 1e-60, std::numeric_limits<double>::quiet_NaN()}) {
    expect_steps({off, 2, 2}, d, h, w);
    expect_steps({2, off, 2}, d, h, w);
    expect_steps({2, 2, off}, d, h, w);
  }
  // A reciprocal beyond float.
  expect_steps({1e-45, 1, 1}, std::numeric_limits<float>::max(), 1, 1);
}

}  // namespace
}  // namespace contract_test
