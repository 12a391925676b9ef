#include "kernels/large.h"

#include <algorithm>

#include "ops/kernels.h"
#include "ops/max_pool_backward/plan.h"
#include "ops/max_unpool_backward/plan.h"
#include "ops/upsample_nearest_backward/plan.h"

namespace kernel_test {
namespace {

using cairn::DataType;

TEST_F(Past2To31, PoolingWritesAPlaneOfMoreCells) {
  // Nine windows over a plane of 46342 x 46342 cells.
  constexpr std::int64_t kSide = 46342;
  constexpr std::int64_t kPlane = kSide * kSide;
  static_assert(kPlane > kTwoTo31);
  std::vector<std::uint16_t> grad{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880};
  // Two share a cell past 2^31; one is a stray whose low 32 bits name a cell too; one lies just past the
  // plane.
  std::vector<std::int64_t> index{0,          15000,      30001,          kTwoTo31 - 1, kTwoTo31,
                                  kPlane - 1, kPlane - 1, kTwoTo31 + 777, kPlane};
  const GuardedMemory result = soiled(kPlane * 2);
  const cairn::max_pool_backward::Plan plan{
      .type = DataType::kFloat16,
      .index_type = DataType::kInt64,
      .n = 1,
      .c = 1,
      .in = {1, kSide, kSide},
      .out = {1, 3, 3},
      .kernel = {1, 10000, 10000},
      .stride = {1, 15000, 15000},
      .padding = {0, 0, 0},
      .dilation = {1, 1, 1},
      .channels_last = false,
      .grad_output = {grad.data(), 9, 9, 9, 3, 1, 0},
      .indices = {index.data(), 9, 9, 9, 3, 1, 0},
      .grad_input = {result.data(), kPlane, kPlane, kPlane, kSide, 1, 0}};
  const auto fault = run_on_cpu(cairn::max_pool_backward::kCpuCandidates, plan, workers_);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->position, 8);
  EXPECT_EQ(fault->value, kPlane);
  EXPECT_EQ(fault->plane_size, kPlane);
  const auto* cells = as<std::uint16_t>(result);
  EXPECT_EQ(cells[0], 0x3c00);
  EXPECT_EQ(cells[15000], 0x4000);
  EXPECT_EQ(cells[30001], 0x4200);
  EXPECT_EQ(cells[kTwoTo31 - 1], 0x4400);
  EXPECT_EQ(cells[kTwoTo31], 0x4500);
  EXPECT_EQ(cells[kPlane - 1], 0x4a80);  // 6 + 7
  EXPECT_EQ(cells[kTwoTo31 + 777], 0x4800);
  EXPECT_EQ(count_other<std::uint16_t>(result, 0), 7);
}

TEST_F(Past2To31, PoolingWritesMorePlanesThanThat) {
  // 2 x 2 windows on each of 130 planes of 4096 x 4096 cells; the gradients are one broadcast element.
  constexpr std::int64_t kSide = 4096;
  constexpr std::int64_t kPlane = kSide * kSide;
  constexpr std::int64_t kPlanes = 130;
  static_assert(kPlane * kPlanes > kTwoTo31);
  std::uint16_t grad = 0x7800;  // 32768: four of them are Inf in FLOAT16
  std::vector<std::int32_t> index(kPlanes);
  for (std::int64_t c = 0; c < kPlanes; ++c)
    index[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(c * 1000);
  index[kPlanes - 1] = -9;
  const GuardedMemory result = soiled(kPlane * kPlanes * 2);
  const cairn::max_pool_backward::Plan plan{
      .type = DataType::kFloat16,
      .index_type = DataType::kInt32,
      .n = 1,
      .c = kPlanes,
      .in = {1, kSide, kSide},
      .out = {1, 2, 2},
      .kernel = {1, 1000, 1000},
      .stride = {1, 2000, 2000},
      .padding = {0, 0, 0},
      .dilation = {1, 1, 1},
      .channels_last = false,
      .grad_output = {&grad, 0, 0, 0, 0, 0, 0},
      .indices = {index.data(), 0, 1, 0, 0, 0, 0},
      .grad_input = {result.data(), kPlane * kPlanes, kPlane, kPlane, kSide, 1, 0}};
  const auto fault = run_on_cpu(cairn::max_pool_backward::kCpuCandidates, plan, workers_);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->position, (kPlanes - 1) * 4);
  EXPECT_EQ(fault->value, -9);
  const auto* cells = as<std::uint16_t>(result);
  for (std::int64_t c = 0; c < kPlanes - 1; ++c)
    ASSERT_EQ(cells[c * kPlane + c * 1000], 0x7c00) << "plane " << c;
  EXPECT_EQ(count_other<std::uint16_t>(result, 0), kPlanes - 1);
}

TEST_F(Past2To31, UnpoolReadsAPlaneOfMoreCells) {
  constexpr std::int64_t kPlane = 3LL * 32768 * 32768;
  const GuardedMemory grad(static_cast<std::size_t>(kPlane), true);
  std::vector<std::int64_t> index{kTwoTo31, 0, kTwoTo31 - 1, kPlane - 1, kPlane, -1, kTwoTo31 + 4};
  std::vector<std::int8_t> wanted;
  for (const std::int64_t position : index) {
    const bool inside = position >= 0 && position < kPlane;
    wanted.push_back(static_cast<std::int8_t>(inside ? wanted.size() + 3 : 0));
    if (inside) as<std::int8_t>(grad)[position] = wanted.back();
  }
  std::vector<std::int8_t> result(index.size(), 77);
  const cairn::max_unpool_backward::Plan plan{.type = DataType::kInt8,
                                              .out_type = DataType::kInt8,
                                              .index_type = DataType::kInt64,
                                              .n = 1,
                                              .c = 1,
                                              .pooled = {1, 1, 7},
                                              .unpooled = {3, 32768, 32768},
                                              .grad_output = {grad.data(), 0, 0, kPlane / 3, 32768, 1, 0},
                                              .indices = {index.data(), 7, 7, 7, 7, 1, 0},
                                              .out = {result.data(), 7, 7, 7, 7, 1, 0}};
  const auto fault = run_on_cpu(cairn::max_unpool_backward::kCpuCandidates, plan, workers_);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->position, 4);
  EXPECT_EQ(fault->plane_size, kPlane);
  EXPECT_EQ(result, wanted);
}

TEST_F(Past2To31, UnpoolWritesMoreCells) {
  constexpr std::int64_t kPlane = std::int64_t{1} << 29;
  std::vector<std::uint8_t> grad{1, 2, 3, 4, 5, 6, 7};
  std::vector<std::int32_t> index{6, 0, -1, 3, 7};  // one a channel, the last one outside
  const GuardedMemory result = soiled(5 * kPlane);
  const cairn::max_unpool_backward::Plan plan{
      .type = DataType::kUint8,
      .out_type = DataType::kUint8,
      .index_type = DataType::kInt32,
      .n = 1,
      .c = 5,
      .pooled = {1, 1 << 14, 1 << 15},
      .unpooled = {1, 1, 7},
      .grad_output = {grad.data(), 0, 0, 0, 0, 1, 0},
      .indices = {index.data(), 0, 1, 0, 0, 0, 0},
      .out = {result.data(), 5 * kPlane, kPlane, kPlane, 1 << 15, 1, 0}};
  const auto fault = run_on_cpu(cairn::max_unpool_backward::kCpuCandidates, plan, workers_);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->position, 4 * kPlane);
  EXPECT_EQ(fault->value, 7);
  const auto* cells = as<std::uint8_t>(result);
  constexpr std::uint8_t kWanted[] = {7, 1, 0, 4, 0};
  for (std::int64_t c = 0; c < 5; ++c) {
    const std::uint8_t* begin = cells + c * kPlane;
    EXPECT_EQ(std::count(begin, begin + kPlane, kWanted[c]), kPlane) << "channel " << c;
  }
}

TEST_F(Past2To31, UpsampleReadsMoreCells) {
  // Ones everywhere, so a cell's sum is the size of its box.
  constexpr reference::Triple kIn{2, 64, 60};
  constexpr reference::Triple kOut{3, 32768, 32768};
  static_assert(kOut[0] * kOut[1] * kOut[2] > kTwoTo31);
  float one = 1.0F;
  std::vector<float> result(static_cast<std::size_t>(kIn[0] * kIn[1] * kIn[2]), -1.0F);
  const std::array<float, 3> scale = reference::upsample_scales(kIn, kOut, {0, 0, 0});
  const cairn::upsample_nearest_backward::Plan plan{.type = DataType::kFloat,
                                                    .n = 1,
                                                    .c = 1,
                                                    .in = to_kernel(kIn),
                                                    .out = to_kernel(kOut),
                                                    .scale_d = scale[0],
                                                    .scale_h = scale[1],
                                                    .scale_w = scale[2],
                                                    .grad_out = {&one, 0, 0, 0, 0, 0, 0},
                                                    .grad_input = {result.data(), 0, 0, 3840, 60, 1, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::upsample_nearest_backward::kCpuCandidates, plan, workers_).has_value());
  const auto length = [&](std::int64_t i, std::size_t axis) {
    return reference::upsample_low(i + 1, scale[axis], kOut[axis]) -
           reference::upsample_low(i, scale[axis], kOut[axis]);
  };
  std::size_t cell = 0;
  for (std::int64_t d = 0; d < kIn[0]; ++d)
    for (std::int64_t h = 0; h < kIn[1]; ++h)
      for (std::int64_t w = 0; w < kIn[2]; ++w)
        ASSERT_EQ(result[cell++], static_cast<float>(length(d, 0) * length(h, 1) * length(w, 2)));
}

TEST_F(Past2To31, UpsampleWritesMoreCells) {
  constexpr reference::Triple kIn{2, 32768, 32800};
  constexpr std::int64_t kCount = kIn[0] * kIn[1] * kIn[2];
  static_assert(kCount > kTwoTo31);
  std::vector<std::uint16_t> grad{0x3c00, 0x4000, 0x4200, 0x4400};
  const GuardedMemory result = soiled(kCount * 2);
  const std::array<float, 3> scale = reference::upsample_scales(kIn, {2, 1, 2}, {0, 0, 0});
  const cairn::upsample_nearest_backward::Plan plan{
      .type = DataType::kFloat16,
      .n = 1,
      .c = 1,
      .in = to_kernel(kIn),
      .out = {2, 1, 2},
      .scale_d = scale[0],
      .scale_h = scale[1],
      .scale_w = scale[2],
      .grad_out = {grad.data(), 0, 0, 2, 2, 1, 0},
      .grad_input = {result.data(), 0, 0, kIn[1] * kIn[2], kIn[2], 1, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::upsample_nearest_backward::kCpuCandidates, plan, workers_).has_value());
  const auto* cells = as<std::uint16_t>(result);
  EXPECT_EQ(cells[0], 0x3c00);
  EXPECT_EQ(cells[kIn[2] / 2], 0x4000);
  EXPECT_EQ(cells[kCount / 2], 0x4200);
  EXPECT_EQ(cells[kCount / 2 + kIn[2] / 2], 0x4400);
  EXPECT_EQ(count_other<std::uint16_t>(result, 0), 4);
}

TEST_F(Past2To31, StridesReachAcrossMoreElementsThanThat) {
  // Few elements far apart, in memory that is mostly never touched.
  constexpr std::int64_t kFar = 3LL << 30;
  const GuardedMemory grad(static_cast<std::size_t>(2 * (2 * kFar + 8)), true);
  const GuardedMemory result(static_cast<std::size_t>(2 * (2 * kFar + 8)), true);
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t w = 0; w < 4; ++w)
      as<std::uint16_t>(grad)[c * kFar + 2 * w] = static_cast<std::uint16_t>(0x3c00 + c * 16 + w);
  std::vector<std::int32_t> index{3, 2, 1, 0};
  const cairn::max_pool_backward::Plan plan{.type = DataType::kBf16,
                                            .index_type = DataType::kInt32,
                                            .n = 1,
                                            .c = 3,
                                            .in = {1, 1, 4},
                                            .out = {1, 1, 4},
                                            .kernel = {1, 1, 1},
                                            .stride = {1, 1, 1},
                                            .padding = {0, 0, 0},
                                            .dilation = {1, 1, 1},
                                            .channels_last = false,
                                            .grad_output = {grad.data(), 0, kFar, 0, 0, 2, 0},
                                            .indices = {index.data(), 0, 0, 0, 0, 1, 0},
                                            .grad_input = {result.data(), 0, kFar, 0, 0, 2, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::max_pool_backward::kCpuCandidates, plan, workers_).has_value());
  for (std::int64_t c = 0; c < 3; ++c)
    for (std::int64_t w = 0; w < 4; ++w)
      EXPECT_EQ(as<std::uint16_t>(result)[c * kFar + 2 * w], 0x3c00 + c * 16 + 3 - w) << c << " " << w;
}

}  // namespace
}  // namespace kernel_test
