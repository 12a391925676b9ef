#include "kernels/large.h"
#include "ops/kernels.h"
#include "ops/mean_pool/plan.h"
#include "ops/mean_pool_backward/plan.h"

namespace kernel_test {
namespace {

using cairn::DataType;
using cairn::MeanDivisor;

constexpr std::int64_t kSide = 46342;
constexpr std::int64_t kPlane = kSide * kSide;
static_assert(kPlane > kTwoTo31);
constexpr cairn::MeanAxis kOne{};

TEST_F(Past2To31, MeansAreOfAPlaneOfMoreCells) {
  // All cells are 0 but three, before 2^31, there and at the end: 2^31, 2^32 and 2^33.
  const GuardedMemory self(static_cast<std::size_t>(kPlane * 2), true);
  as<std::uint16_t>(self)[5] = 0x4f00;
  as<std::uint16_t>(self)[kTwoTo31] = 0x4f80;
  as<std::uint16_t>(self)[kPlane - 1] = 0x5000;
  std::uint16_t value = 0;
  const cairn::mean_pool::Plan plan{.type = DataType::kBf16,
                                    .n = 1,
                                    .c = 1,
                                    .d = kOne,
                                    .h = kOne,
                                    .w = {.in = kPlane, .out = 1, .kernel = kPlane, .stride = kPlane},
                                    .divisor = MeanDivisor::one(0x1p31),
                                    .self = {self.data(), 0, 0, 0, 0, 1, 0},
                                    .values = {&value, 0, 0, 0, 0, 0, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::mean_pool::kCpuCandidates, plan, workers_).has_value());
  EXPECT_EQ(value, 0x40e0);  // 7
}

TEST_F(Past2To31, MeansAreOfMorePlanesThanThat) {
  // 2 x 2 windows of 130 planes, each with one cell that is 4 and the rest 0.
  constexpr std::int64_t kWidth = 4096;
  constexpr std::int64_t kCells = kWidth * kWidth;
  constexpr std::int64_t kPlanes = 130;
  constexpr std::int64_t kWindows = kCells / 4;
  static_assert(kCells * kPlanes > kTwoTo31);
  const GuardedMemory self(static_cast<std::size_t>(kCells * kPlanes * 2), true);
  const GuardedMemory values = soiled(kWindows * kPlanes * 2);
  for (std::int64_t c = 0; c < kPlanes; ++c) as<std::uint16_t>(self)[c * kCells + c * 1000 + 3] = 0x4400;
  const cairn::MeanAxis halved{.in = kWidth, .out = kWidth / 2, .kernel = 2, .stride = 2};
  const cairn::mean_pool::Plan plan{
      .type = DataType::kFloat16,
      .n = 1,
      .c = kPlanes,
      .d = kOne,
      .h = halved,
      .w = halved,
      .divisor = MeanDivisor::one(4),
      .self = {self.data(), kCells * kPlanes, kCells, kCells, kWidth, 1, 0},
      .values = {values.data(), kWindows * kPlanes, kWindows, kWindows, kWidth / 2, 1, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::mean_pool::kCpuCandidates, plan, workers_).has_value());
  for (std::int64_t c = 0; c < kPlanes; ++c) {
    const std::int64_t cell = c * 1000 + 3;
    const std::int64_t window = cell / kWidth / 2 * (kWidth / 2) + cell % kWidth / 2;
    ASSERT_EQ(as<std::uint16_t>(values)[c * kWindows + window], 0x3c00) << "plane " << c;
  }
  EXPECT_EQ(count_other<std::uint16_t>(values, 0), kPlanes);
}

TEST_F(Past2To31, TheGradientOfAMeanFillsAPlaneOfMoreCells) {
  std::uint16_t gradient = 0x5000;  // 2^33 in BF16
  const GuardedMemory result = soiled(kPlane * 2);
  const cairn::mean_pool_backward::Plan plan{
      .type = DataType::kBf16,
      .n = 1,
      .c = 1,
      .d = kOne,
      .h = kOne,
      .w = {.in = kPlane, .out = 1, .kernel = kPlane, .stride = kPlane},
      .divisor = MeanDivisor::one(0x1p31),
      .grad_output = {&gradient, 0, 0, 0, 0, 0, 0},
      .grad_input = {result.data(), 0, 0, 0, 0, 1, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::mean_pool_backward::kCpuCandidates, plan, workers_).has_value());
  EXPECT_EQ(count_other<std::uint16_t>(result, 0x4080), 0);  // 4
}

TEST_F(Past2To31, TheGradientOfAdaptiveMeansReachesAPlaneOfMoreCells) {
  // 7 x 9 windows over 46342 x 46342 cells, of which neighbours share a row or a column.
  std::vector<std::uint16_t> gradient(63, 0);
  gradient[62] = 0x7f80;  // +inf: it is where the last window is, and nowhere else
  const GuardedMemory result = soiled(kPlane * 2);
  const cairn::mean_pool_backward::Plan plan{.type = DataType::kBf16,
                                             .n = 1,
                                             .c = 1,
                                             .d = kOne,
                                             .h = {.in = kSide, .out = 7, .kernel = 0},
                                             .w = {.in = kSide, .out = 9, .kernel = 0},
                                             .divisor = {},
                                             .grad_output = {gradient.data(), 63, 63, 63, 9, 1, 0},
                                             .grad_input = {result.data(), 0, 0, 0, kSide, 1, 0}};
  ASSERT_FALSE(run_on_cpu(cairn::mean_pool_backward::kCpuCandidates, plan, workers_).has_value());
  const cairn::Span h = plan.h.cells(6);
  const cairn::Span w = plan.w.cells(8);
  ASSERT_GT(h.begin * kSide, kTwoTo31 / 2);
  const auto* cells = as<std::uint16_t>(result);
  EXPECT_EQ(cells[h.begin * kSide + w.begin], 0x7f80);
  EXPECT_EQ(cells[h.begin * kSide + w.begin - 1], 0);
  EXPECT_EQ(cells[(h.begin - 1) * kSide + w.begin], 0);
  EXPECT_EQ(cells[kPlane - 1], 0x7f80);
  EXPECT_EQ(count_other<std::uint16_t>(result, 0), h.size() * w.size());
}

}  // namespace
}  // namespace kernel_test
