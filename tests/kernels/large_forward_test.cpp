#include <algorithm>

#include "kernels/large.h"
#include "ops/kernels.h"
#include "ops/max_pool/plan.h"
#include "ops/max_unpool/plan.h"
#include "ops/upsample_nearest/plan.h"

namespace kernel_test {
namespace {

using cairn::DataType;

TEST_F(Past2To31, PoolingFindsPositionsInAPlaneOfMoreCells) {
  // Nine windows over a plane of 46342 x 46342 cells, the last of which reaches its end.
  constexpr std::int64_t kSide = 46342;
  constexpr std::int64_t kPlane = kSide * kSide;
  constexpr std::int64_t kStep = 23021;
  constexpr std::int64_t kKernel = 300;
  static_assert(kPlane > kTwoTo31 && 2 * kStep + kKernel == kSide);
  const GuardedMemory self = soiled(kPlane * 2);  // all the same, so the first tap wins
  as<std::uint16_t>(self)[kPlane - 1] = 0x3c00;
  as<std::uint16_t>(self)[kStep * kSide + 7] = 0x4000;
  std::vector<std::uint16_t> values(9);
  std::vector<std::int64_t> indices(9);
  const cairn::max_pool::Plan plan{.type = DataType::kFloat16,
                                   .index_type = DataType::kInt64,
                                   .n = 1,
                                   .c = 1,
                                   .in = {1, kSide, kSide},
                                   .out = {1, 3, 3},
                                   .kernel = {1, kKernel, kKernel},
                                   .stride = {1, kStep, kStep},
                                   .padding = {0, 0, 0},
                                   .dilation = {1, 1, 1},
                                   .self = {self.data(), kPlane, kPlane, kPlane, kSide, 1, 0},
                                   .values = {values.data(), 9, 9, 9, 3, 1, 0},
                                   .indices = {indices.data(), 9, 9, 9, 3, 1, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::max_pool::kCpuCandidates, plan, workers_).has_value());
  for (std::int64_t h = 0; h < 3; ++h) {
    for (std::int64_t w = 0; w < 3; ++w) {
      const auto cell = static_cast<std::size_t>(h * 3 + w);
      const bool marked = cell == 3 || cell == 8;
      EXPECT_EQ(values[cell], cell == 8 ? 0x3c00 : cell == 3 ? 0x4000 : 0xa5a5);
      if (!marked) {
        EXPECT_EQ(indices[cell], (h * kSide + w) * kStep);
      }
    }
  }
  EXPECT_EQ(indices[8], kPlane - 1);
  EXPECT_EQ(indices[3], kStep * kSide + 7);
}

TEST_F(Past2To31, PoolingReadsAndWritesMorePlanesThanThat) {
  // 130 planes of 4096 x 4096 cells, each with one that is larger than the rest.
  constexpr std::int64_t kSide = 4096;
  constexpr std::int64_t kPlane = kSide * kSide;
  constexpr std::int64_t kPlanes = 130;
  constexpr std::int64_t kPooled = kPlane / 16;
  static_assert(kPlane * kPlanes > kTwoTo31);
  const GuardedMemory self = soiled(kPlane * kPlanes * 2);
  const GuardedMemory values = soiled(kPooled * kPlanes * 2);
  const GuardedMemory indices = soiled(kPooled * kPlanes * 4);
  for (std::int64_t c = 0; c < kPlanes; ++c) as<std::uint16_t>(self)[c * kPlane + c * 1000 + 3] = 0x4000;
  const cairn::max_pool::Plan plan{
      .type = DataType::kFloat16,
      .index_type = DataType::kInt32,
      .n = 1,
      .c = kPlanes,
      .in = {1, kSide, kSide},
      .out = {1, kSide / 4, kSide / 4},
      .kernel = {1, 4, 4},
      .stride = {1, 4, 4},
      .padding = {0, 0, 0},
      .dilation = {1, 1, 1},
      .self = {self.data(), kPlane * kPlanes, kPlane, kPlane, kSide, 1, 0},
      .values = {values.data(), kPooled * kPlanes, kPooled, kPooled, kSide / 4, 1, 0},
      .indices = {indices.data(), kPooled * kPlanes, kPooled, kPooled, kSide / 4, 1, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::max_pool::kCpuCandidates, plan, workers_).has_value());
  for (std::int64_t c = 0; c < kPlanes; ++c) {
    const std::int64_t cell = c * 1000 + 3;
    const std::int64_t window = cell / kSide / 4 * (kSide / 4) + cell % kSide / 4;
    ASSERT_EQ(as<std::uint16_t>(values)[c * kPooled + window], 0x4000) << "plane " << c;
    ASSERT_EQ(as<std::int32_t>(indices)[c * kPooled + window], cell) << "plane " << c;
  }
  EXPECT_EQ(count_other<std::uint16_t>(values, 0xa5a5), kPlanes);
}

// Cut into stretches of 1024, a row of so many windows would end in one that is shorter than a vector.
TEST(LongRows, ArePooledInEvenStretches) {
  TwoThreads workers;
  constexpr std::int64_t kWindows = 1045507;
  std::vector<float> self(2 * kWindows);
  for (std::size_t i = 0; i < self.size(); ++i) self[i] = static_cast<float>(i % 3);
  std::vector<float> values(kWindows);
  std::vector<std::int32_t> indices(kWindows);
  const cairn::max_pool::Plan plan{.type = DataType::kFloat,
                                   .index_type = DataType::kInt32,
                                   .n = 1,
                                   .c = 1,
                                   .in = {1, 1, 2 * kWindows},
                                   .out = {1, 1, kWindows},
                                   .kernel = {1, 1, 2},
                                   .stride = {1, 1, 2},
                                   .padding = {0, 0, 0},
                                   .dilation = {1, 1, 1},
                                   .self = {self.data(), 0, 0, 0, 0, 1, 0},
                                   .values = {values.data(), 0, 0, 0, 0, 1, 0},
                                   .indices = {indices.data(), 0, 0, 0, 0, 1, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::max_pool::kCpuCandidates, plan, workers).has_value());
  for (std::size_t o = 0; o < values.size(); ++o) {
    const std::size_t best = self[2 * o + 1] > self[2 * o] ? 2 * o + 1 : 2 * o;
    ASSERT_EQ(indices[o], static_cast<std::int32_t>(best));
    ASSERT_EQ(values[o], self[best]);
  }
}

TEST_F(Past2To31, UnpoolWritesAPlaneOfMoreCells) {
  constexpr std::int64_t kPlane = 3LL * 32768 * 32768;
  const GuardedMemory result = soiled(kPlane);
  // Far ahead and back again; one cell twice; just past the plane; a low half that names another cell.
  std::vector<std::int64_t> index{5,      kTwoTo31, 0,        kPlane - 1,  kTwoTo31 - 1,
                                  kPlane, -1,       kTwoTo31, kTwoTo31 + 9};
  std::vector<std::int8_t> self{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const cairn::max_unpool::Plan plan{.type = DataType::kInt8,
                                     .index_type = DataType::kInt64,
                                     .n = 1,
                                     .c = 1,
                                     .pooled = {1, 1, 9},
                                     .unpooled = {3, 32768, 32768},
                                     .self = {self.data(), 9, 9, 9, 9, 1, 0},
                                     .indices = {index.data(), 9, 9, 9, 9, 1, 0},
                                     .out = {result.data(), kPlane, kPlane, kPlane / 3, 32768, 1, 0}};
  const auto fault = run_on_cpu(cairn::max_unpool::kCpuCandidates, plan, workers_);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->position, 5);
  EXPECT_EQ(fault->value, kPlane);
  EXPECT_EQ(fault->plane_size, kPlane);
  const auto* cells = as<std::int8_t>(result);
  EXPECT_EQ(cells[5], 1);
  EXPECT_EQ(cells[0], 3);
  EXPECT_EQ(cells[kPlane - 1], 4);
  EXPECT_EQ(cells[kTwoTo31 - 1], 5);
  EXPECT_EQ(cells[kTwoTo31], 8);
  EXPECT_EQ(cells[kTwoTo31 + 9], 9);
  EXPECT_EQ(count_other<std::int8_t>(result, 0), 6);
}

TEST_F(Past2To31, UnpoolWritesMorePlanesThanThat) {
  constexpr std::int64_t kPlane = 7LL << 19;
  constexpr std::int64_t kPlanes = 600;
  static_assert(kPlane * kPlanes > kTwoTo31);
  std::uint8_t self = 200;
  std::vector<std::int32_t> index(kPlanes);
  for (std::int64_t c = 0; c < kPlanes; ++c)
    index[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(c * 5);
  index[kPlanes - 1] = static_cast<std::int32_t>(kPlane);
  const GuardedMemory result = soiled(kPlane * kPlanes);
  const cairn::max_unpool::Plan plan{
      .type = DataType::kUint8,
      .index_type = DataType::kInt32,
      .n = 1,
      .c = kPlanes,
      .pooled = {1, 1, 1},
      .unpooled = {7, 512, 1024},
      .self = {&self, 0, 0, 0, 0, 0, 0},
      .indices = {index.data(), 0, 1, 0, 0, 0, 0},
      .out = {result.data(), kPlane * kPlanes, kPlane, kPlane / 7, 1024, 1, 0}};
  const auto fault = run_on_cpu(cairn::max_unpool::kCpuCandidates, plan, workers_);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->position, kPlanes - 1);
  for (std::int64_t c = 0; c < kPlanes - 1; ++c)
    ASSERT_EQ(as<std::uint8_t>(result)[c * kPlane + c * 5], 200) << "plane " << c;
  EXPECT_EQ(count_other<std::uint8_t>(result, 0), kPlanes - 1);
}

TEST_F(Past2To31, UpsampleWritesAPlaneOfMoreCells) {
  constexpr reference::Triple kIn{2, 3, 5};
  constexpr reference::Triple kOut{2, 32768, 32801};
  static_assert(kOut[0] * kOut[1] * kOut[2] > kTwoTo31);
  std::vector<std::uint8_t> self(30);
  std::iota(self.begin(), self.end(), std::uint8_t{1});
  const GuardedMemory result = soiled(kOut[0] * kOut[1] * kOut[2]);
  const std::array<float, 3> step = reference::upsample_steps(kIn, kOut, {0, 0, 0});
  const cairn::upsample_nearest::Plan plan{
      .type = DataType::kUint8,
      .n = 1,
      .c = 1,
      .in = to_kernel(kIn),
      .out = to_kernel(kOut),
      .scale_d = step[0],
      .scale_h = step[1],
      .scale_w = step[2],
      .self = {self.data(), 30, 30, 15, 5, 1, 0},
      .values = {result.data(), kOut[0] * kOut[1] * kOut[2], 0, kOut[1] * kOut[2], kOut[2], 1, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::upsample_nearest::kCpuCandidates, plan, workers_).has_value());
  const std::uint8_t* row = as<std::uint8_t>(result);
  std::vector<std::uint8_t> wanted(static_cast<std::size_t>(kOut[2]));
  for (std::int64_t d = 0; d < kOut[0]; ++d) {
    for (std::int64_t h = 0; h < kOut[1]; ++h, row += kOut[2]) {
      const std::int64_t first = reference::upsample_source(d, step[0], kIn[0]) * 15 +
                                 reference::upsample_source(h, step[1], kIn[1]) * 5;
      if (wanted[0] != self[static_cast<std::size_t>(first)]) {
        for (std::int64_t w = 0; w < kOut[2]; ++w)
          wanted[static_cast<std::size_t>(w)] =
              self[static_cast<std::size_t>(first + reference::upsample_source(w, step[2], kIn[2]))];
      }
      ASSERT_EQ(std::memcmp(row, wanted.data(), wanted.size()), 0) << d << " " << h;
    }
  }
}

TEST_F(Past2To31, UpsampleReadsAPlaneOfMoreCells) {
  constexpr reference::Triple kIn{1, 46342, 46342};
  constexpr reference::Triple kOut{1, 7, 9};
  static_assert(kIn[1] * kIn[2] > kTwoTo31);
  const GuardedMemory self = soiled(kIn[1] * kIn[2]);
  const std::array<float, 3> step = reference::upsample_steps(kIn, kOut, {0, 0, 0});
  const auto source = [&](std::int64_t h, std::int64_t w) {
    return reference::upsample_source(h, step[1], kIn[1]) * kIn[2] +
           reference::upsample_source(w, step[2], kIn[2]);
  };
  std::vector<std::uint8_t> result(63);
  for (std::int64_t i = 0; i < 63; ++i)
    as<std::uint8_t>(self)[source(i / 9, i % 9)] = static_cast<std::uint8_t>(i);
  const cairn::upsample_nearest::Plan plan{.type = DataType::kUint8,
                                           .n = 1,
                                           .c = 1,
                                           .in = to_kernel(kIn),
                                           .out = to_kernel(kOut),
                                           .scale_d = step[0],
                                           .scale_h = step[1],
                                           .scale_w = step[2],
                                           .self = {self.data(), 0, 0, 0, kIn[2], 1, 0},
                                           .values = {result.data(), 63, 63, 63, 9, 1, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::upsample_nearest::kCpuCandidates, plan, workers_).has_value());
  for (std::size_t i = 0; i < 63; ++i) EXPECT_EQ(result[i], i);
}

}  // namespace
}  // namespace kernel_test
