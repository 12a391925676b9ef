// The plans of the gradients.

#include "contract/plan_test.h"

#include <limits>

#include "aclnnop/aclnn_ops_cv.h"
#include "aclnnop/aclnn_ops_nn.h"
#include "ops/max_pool_backward/contract.h"
#include "ops/max_pool_backward/plan.h"
#include "ops/max_unpool_backward/contract.h"
#include "ops/max_unpool_backward/plan.h"
#include "ops/upsample_nearest_backward/contract.h"
#include "ops/upsample_nearest_backward/plan.h"

namespace contract_test {
namespace {

class MaxPoolPlans : public PoolPlans {
 protected:
  using Plan = cairn::max_pool_backward::Plan;
  static constexpr auto k3d = aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize;
  static constexpr auto k2d = aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize;

  cairn::Status call(decltype(k3d) phase1, aclTensor* grad_output, aclTensor* self, aclTensor* indices,
                     const Windows& windows, aclTensor* grad_input) {
    return phase1(grad_output, self, indices, array(windows.kernel_size), array(windows.stride),
                  array(windows.padding), array(windows.dilation), windows.ceil_mode, grad_input,
                  &workspace_size, &executor);
  }
};

TEST_F(MaxPoolPlans, VolumesWithoutBatch) {
  ASSERT_EQ(call(k3d, tensor({3, 2, 3, 4}, ACL_FLOAT16), tensor({3, 4, 7, 9}, ACL_FLOAT16),
                 tensor({3, 2, 3, 4}, {24, 12, 4, 1}, ACL_INT64, ACL_FORMAT_ND, 6),
                 {{2, 3, 3}, {}, {0, 1, 1}, {1}, true},
                 tensor({3, 4, 7, 9}, {1, 3, 12, 84}, ACL_FLOAT16, ACL_FORMAT_ND, 2)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  EXPECT_EQ(result.type, cairn::DataType::kFloat16);
  EXPECT_EQ(result.index_type, cairn::DataType::kInt64);
  expect_planes(result, 1, 3);
  expect_size(result.in, 4, 7, 9);
  expect_size(result.out, 2, 3, 4);
  expect_windows(result, {2, 3, 3}, {2, 3, 3}, {0, 1, 1}, {1, 1, 1});
  EXPECT_FALSE(result.channels_last);
  expect_view(result.grad_output, {0, 24, 12, 4, 1}, 0);
  expect_view(result.indices, {0, 24, 12, 4, 1}, 6);
  expect_view(result.grad_input, {0, 1, 3, 12, 84}, 2);
  expect_uses({kRead, kUnused, kRead, kWrite}, {"gradOutput", "self", "indices", "gradInput"});
  EXPECT_STREQ(tensors.planned->kernel->name, "aclnnMaxPool3dWithArgmaxBackward");
  EXPECT_FALSE(tensors.planned->empty);
  EXPECT_EQ(workspace_size, 0U);
  EXPECT_EQ(executor, reinterpret_cast<aclOpExecutor*>(&tensors.planned));

  static char memory[100];
  const auto addresses = bound<Plan>({&memory[0], nullptr, &memory[1], &memory[2]});
  EXPECT_EQ(addresses.grad_output.data, &memory[0]);
  EXPECT_EQ(addresses.indices.data, &memory[49]);
  EXPECT_EQ(addresses.grad_input.data, &memory[6]);
}

TEST_F(MaxPoolPlans, VolumesWithChannelsLast) {
  const auto format = ACL_FORMAT_NDHWC;
  ASSERT_EQ(call(k3d, tensor({2, 2, 3, 4, 5}, ACL_FLOAT, format), tensor({2, 4, 6, 8, 5}, ACL_FLOAT, format),
                 tensor({2, 2, 3, 4, 5}, ACL_INT32), {{2}, {2}, {0}, {1}},
                 tensor({2, 4, 6, 8, 5}, ACL_FLOAT, format)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  EXPECT_TRUE(result.channels_last);
  expect_planes(result, 2, 5);
  expect_size(result.in, 4, 6, 8);
  expect_size(result.out, 2, 3, 4);
  expect_size(result.kernel, 2, 2, 2);
  expect_view(result.grad_output, {120, 1, 60, 20, 5}, 0);
  expect_view(result.indices, {120, 1, 60, 20, 5}, 0);
  expect_view(result.grad_input, {960, 1, 240, 40, 5}, 0);
}

TEST_F(MaxPoolPlans, ImagesAreVolumesOfDepthOne) {
  ASSERT_EQ(call(k2d, tensor({2, 5, 3, 4}), tensor({2, 5, 6, 8}), tensor({2, 5, 3, 4}, ACL_INT32),
                 {{2, 2}, {2, 2}, {1, 0}, {1, 1}, true}, tensor({2, 5, 6, 8})),
            161002);  // padding makes four rows
  EXPECT_NE(runtime.error.find("is [2,5,4,4]"), std::string::npos) << runtime.error;
  ASSERT_EQ(call(k2d, tensor({2, 5, 4, 4}), tensor({2, 5, 6, 8}), tensor({2, 5, 4, 4}, ACL_INT32),
                 {{2, 2}, {2, 2}, {1, 0}, {1, 1}, true}, tensor({2, 5, 6, 8})),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  expect_planes(result, 2, 5);
  expect_size(result.in, 1, 6, 8);
  expect_size(result.out, 1, 4, 4);
  expect_windows(result, {1, 2, 2}, {1, 2, 2}, {0, 1, 0}, {1, 1, 1});
  expect_view(result.grad_output, {80, 16, 0, 4, 1}, 0);
  expect_view(result.grad_input, {240, 48, 0, 8, 1}, 0);
}

TEST_F(MaxPoolPlans, ImagesWithChannelsLastWithoutBatch) {
  const auto format = ACL_FORMAT_NHWC;
  ASSERT_EQ(call(k2d, tensor({3, 4, 5}, ACL_BF16, format), tensor({6, 8, 5}, ACL_BF16, format),
                 tensor({3, 4, 5}, ACL_INT32), {{2}, {2}, {0}, {1}}, tensor({6, 8, 5}, ACL_BF16, format)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  EXPECT_TRUE(result.channels_last);
  expect_planes(result, 1, 5);
  expect_size(result.in, 1, 6, 8);
  expect_view(result.grad_output, {0, 1, 0, 20, 5}, 0);
  expect_view(result.grad_input, {0, 1, 0, 40, 5}, 0);
}

TEST_F(MaxPoolPlans, AxesOfOneCellAndOneWindowComeFirst) {
  const auto format = ACL_FORMAT_NDHWC;
  ASSERT_EQ(call(k3d, tensor({2, 4, 3, 1, 5}, ACL_FLOAT, format), tensor({2, 8, 6, 1, 5}, ACL_FLOAT, format),
                 tensor({2, 4, 3, 1, 5}, ACL_INT32, format), {{2, 2, 3}, {2, 2, 1}, {0, 0, 1}, {1}},
                 tensor({2, 8, 6, 1, 5}, ACL_FLOAT, format)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  EXPECT_TRUE(result.channels_last);
  expect_size(result.in, 1, 8, 6);
  expect_size(result.out, 1, 4, 3);
  expect_windows(result, {1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1});
  expect_view(result.grad_output, {60, 1, 0, 15, 5}, 0);
  expect_view(result.indices, {60, 1, 0, 15, 5}, 0);
  expect_view(result.grad_input, {240, 1, 0, 30, 5}, 0);
}

TEST_F(MaxPoolPlans, EmptyOnlyWhenNothingIsReadOrWritten) {
  const Windows windows = {{2}, {2}, {0}, {1}};
  ASSERT_EQ(call(k3d, tensor({0, 3, 4, 4, 5}), tensor({0, 3, 8, 8, 10}), tensor({0, 3, 4, 4, 5}, ACL_INT32),
                 windows, tensor({0, 3, 8, 8, 10})),
            0);
  EXPECT_TRUE(tensors.planned->empty);
  ASSERT_EQ(call(k3d, tensor({1, 3, 0, 4, 5}), tensor({1, 3, 0, 8, 10}), tensor({1, 3, 0, 4, 5}, ACL_INT32),
                 windows, tensor({1, 3, 0, 8, 10})),
            0);
  EXPECT_TRUE(tensors.planned->empty);
  ASSERT_EQ(call(k3d, tensor({1, 3, 1, 4, 5}), tensor({1, 3, 0, 8, 10}), tensor({1, 3, 1, 4, 5}, ACL_INT32),
                 {{2}, {2}, {1, 0, 0}, {1}}, tensor({1, 3, 0, 8, 10})),
            0);
  EXPECT_FALSE(tensors.planned->empty);
}

TEST_F(MaxPoolPlans, OffsetOfATensorWithoutElementsIsForgotten) {
  const auto huge = std::numeric_limits<std::int64_t>::max();
  ASSERT_EQ(call(k3d, tensor({0, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, ACL_FLOAT, ACL_FORMAT_ND, huge),
                 tensor({0, 1, 2, 2, 2}), tensor({0, 1, 1, 1, 1}, ACL_INT32), {{2}, {2}, {0}, {1}},
                 tensor({0, 1, 2, 2, 2})),
            0)
      << runtime.error;
  EXPECT_EQ(bound<Plan>({nullptr, nullptr, nullptr, nullptr}).grad_output.data, nullptr);
}

TEST_F(MaxPoolPlans, AbsurdWindowsAreCut) {
  const auto huge = std::numeric_limits<std::int64_t>::max();
  ASSERT_EQ(call(k3d, tensor({1, 1, 1, 1, 1}), tensor({1, 1, 3, 3, 3}), tensor({1, 1, 1, 1, 1}, ACL_INT32),
                 {{huge - 1}, {huge}, {huge / 2}, {1}, true}, tensor({1, 1, 3, 3, 3})),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  expect_size(result.kernel, 2147483647, 2147483647, 2147483647);
  expect_size(result.stride, 2147483647, 2147483647, 2147483647);
  expect_size(result.padding, 2147483647, 2147483647, 2147483647);
}

TEST_F(MaxPoolPlans, NoRoomForAnotherExecutor) {
  tensors.full = true;
  EXPECT_EQ(call(k3d, tensor({1, 1, 1, 1, 1}), tensor({1, 1, 2, 2, 2}), tensor({1, 1, 1, 1, 1}, ACL_INT32),
                 {{2}, {2}, {0}, {1}}, tensor({1, 1, 2, 2, 2})),
            561101);
  EXPECT_EQ(workspace_size, 99U);
  EXPECT_EQ(executor, nullptr);
}

class MaxUnpoolPlans : public Plans {
 protected:
  using Plan = cairn::max_unpool_backward::Plan;

  cairn::Status call(aclTensor* grad_output, aclTensor* self, aclTensor* indices, const Dims& output_size,
                     aclTensor* out) {
    return aclnnMaxUnpool3dBackwardGetWorkspaceSize(grad_output, self, indices, array(output_size),
                                                    array({1, 1, 1}), array({0, 0, 0}), out, &workspace_size,
                                                    &executor);
  }
};

TEST_F(MaxUnpoolPlans, FiveDimensions) {
  ASSERT_EQ(call(tensor({2, 3, 4, 5, 6}, {0, 0, 0, 0, 0}, ACL_INT16, ACL_FORMAT_ND, 3),
                 tensor({2, 3, 2, 2, 2}, ACL_INT16), tensor({2, 3, 2, 2, 2}, ACL_INT32), {4, 5, 6},
                 tensor({2, 3, 2, 2, 2}, {24, 8, 4, 2, 1}, ACL_INT16, ACL_FORMAT_ND, 1)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  EXPECT_EQ(result.type, cairn::DataType::kInt16);
  EXPECT_EQ(result.out_type, cairn::DataType::kInt16);
  EXPECT_EQ(result.index_type, cairn::DataType::kInt32);
  expect_planes(result, 2, 3);
  expect_size(result.pooled, 2, 2, 2);
  expect_size(result.unpooled, 4, 5, 6);
  expect_view(result.grad_output, {0, 0, 0, 0, 0}, 3);
  expect_view(result.indices, {24, 8, 4, 2, 1}, 0);
  expect_view(result.out, {24, 8, 4, 2, 1}, 1);
  expect_uses({kGather, kUnused, kRead, kWrite}, {"gradOutput", "self", "indices", "out"});
  EXPECT_FALSE(tensors.planned->empty);

  static char memory[100];
  const auto addresses = bound<Plan>({&memory[0], nullptr, &memory[1], &memory[2]});
  EXPECT_EQ(addresses.grad_output.data, &memory[6]);
  EXPECT_EQ(addresses.indices.data, &memory[1]);
  EXPECT_EQ(addresses.out.data, &memory[2] + 2);
}

TEST_F(MaxUnpoolPlans, FourDimensionsHaveNoChannels) {
  ASSERT_EQ(call(tensor({2, 4, 5, 6}), tensor({2, 2, 2, 2}), tensor({2, 2, 2, 2}, ACL_INT64), {4, 5, 6},
                 tensor({2, 2, 2, 2})),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  expect_planes(result, 2, 1);
  expect_view(result.grad_output, {120, 0, 30, 6, 1}, 0);
  expect_view(result.out, {8, 0, 4, 2, 1}, 0);
}

TEST_F(MaxUnpoolPlans, EmptyBatch) {
  ASSERT_EQ(call(tensor({0, 4, 5, 6}), tensor({0, 2, 2, 2}), tensor({0, 2, 2, 2}, ACL_INT64), {4, 5, 6},
                 tensor({0, 2, 2, 2})),
            0)
      << runtime.error;
  EXPECT_TRUE(tensors.planned->empty);
}

class UpsamplePlans : public Plans {
 protected:
  using Plan = cairn::upsample_nearest_backward::Plan;

  cairn::Status call(aclTensor* grad_out, const Dims& output_size, const Dims& input_size,
                     const std::array<double, 3>& scales, aclTensor* grad_input) {
    return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad_out, array(output_size), array(input_size),
                                                          scales[0], scales[1], scales[2], grad_input,
                                                          &workspace_size, &executor);
  }

  void expect_scales(const std::array<double, 3>& given, float d, float h, float w) {
    ASSERT_EQ(call(tensor({1, 1, 5, 7, 9}), {5, 7, 9}, {1, 1, 3, 3, 3}, given, tensor({1, 1, 3, 3, 3})), 0)
        << runtime.error;
    const auto result = plan<Plan>();
    EXPECT_EQ(result.scale_d, d);
    EXPECT_EQ(result.scale_h, h);
    EXPECT_EQ(result.scale_w, w);
  }
};

TEST_F(UpsamplePlans, ChannelsSecond) {
  ASSERT_EQ(call(tensor({2, 3, 4, 6, 8}, {0, 0, 48, 8, 1}, ACL_DOUBLE, ACL_FORMAT_NCDHW, 5), {4, 6, 8},
                 {2, 3, 2, 3, 4}, {0, 0, 0},
                 tensor({2, 3, 2, 3, 4}, {72, 24, 12, 4, 1}, ACL_DOUBLE, ACL_FORMAT_ND, 7)),
            0)
      << runtime.error;
  const auto result = plan<Plan>();
  EXPECT_EQ(result.type, cairn::DataType::kDouble);
  expect_planes(result, 2, 3);
  expect_size(result.in, 2, 3, 4);
  expect_size(result.out, 4, 6, 8);
  expect_view(result.grad_out, {0, 0, 48, 8, 1}, 5);
  expect_view(result.grad_input, {72, 24, 12, 4, 1}, 7);
  expect_uses({kRead, kWrite}, {"gradOut", "gradInput"});

  static char memory[100];
  const auto addresses = bound<Plan>({&memory[0], &memory[1]});
  EXPECT_EQ(addresses.grad_out.data, &memory[40]);
  EXPECT_EQ(addresses.grad_input.data, &memory[57]);
}

TEST_F(UpsamplePlans, ChannelsLastInBothOrdersOfInputSize) {
  const auto format = ACL_FORMAT_NDHWC;
  for (const char* product : {"portable", "atlas-a2"}) {
    setenv("CAIRN_PRODUCT", product, 1);
    for (const Dims& input_size : {Dims{2, 5, 2, 3, 4}, Dims{2, 2, 3, 4, 5}}) {
      runtime = {};
      ASSERT_EQ(call(tensor({2, 4, 6, 8, 5}, ACL_FLOAT, format), {4, 6, 8}, input_size, {0, 0, 0},
                     tensor({2, 2, 3, 4, 5}, ACL_FLOAT, format)),
                0)
          << runtime.error;
      const auto result = plan<Plan>();
      expect_planes(result, 2, 5);
      expect_size(result.in, 2, 3, 4);
      expect_size(result.out, 4, 6, 8);
      expect_view(result.grad_out, {960, 1, 240, 40, 5}, 0);
      expect_view(result.grad_input, {120, 1, 60, 20, 5}, 0);
      const bool warned = runtime.warning.find("inputSize is [2,2,3,4,5]") != std::string::npos;
      EXPECT_EQ(warned, std::string(product) == "atlas-a2" && input_size[1] == 2) << runtime.warning;
    }
  }
}

TEST_F(UpsamplePlans, AllScalesOrNone) {
  const float by_size_d = 5.0F / 3.0F;
  const float by_size_h = 7.0F / 3.0F;
  const float by_size_w = 3.0F;
  expect_scales({1.7, 2.4, 3.1}, 1.7F, 2.4F, 3.1F);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double off : {0.0, -2.0, nan, infinity, 1e300, 1e-300}) {
    expect_scales({off, 2.4, 3.1}, by_size_d, by_size_h, by_size_w);
    expect_scales({1.7, off, 3.1}, by_size_d, by_size_h, by_size_w);
    expect_scales({1.7, 2.4, off}, by_size_d, by_size_h, by_size_w);
  }
}

TEST_F(UpsamplePlans, EmptyBatchOrChannels) {
  for (const Dims& input : {Dims{0, 3, 2, 2, 2}, Dims{2, 0, 2, 2, 2}}) {
    ASSERT_EQ(call(tensor({input[0], input[1], 4, 4, 4}), {4, 4, 4}, input, {0, 0, 0}, tensor(input)), 0)
        << runtime.error;
    EXPECT_TRUE(tensors.planned->empty);
  }
}

}  // namespace
}  // namespace contract_test

const cairn::TensorBridge& cairn_tensor_bridge() { return contract_test::tensors; }
const cairn::RuntimeBridge& cairn_runtime_bridge() { return contract_test::runtime; }
