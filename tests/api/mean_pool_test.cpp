// Mean pooling as a program uses it: the places that are easily got wrong, to the bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "api/mean_calls.h"

namespace api_test {
namespace {

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

Floats counted(std::size_t count) {
  Floats values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i + 1);
  return values;
}

class MeanPool : public DeviceTest {
 protected:
  // A row (H = 1); kernel, stride and padding of `by` are along W.
  static Dims along_w(const Dims& values, std::int64_t h) {
    return values.empty() ? values : Dims{h, values[0]};
  }
  static MeanWindow of_row(MeanWindow by) {
    by.kernel = along_w(by.kernel, 1);
    by.stride = along_w(by.stride, 1);
    by.padding = along_w(by.padding, 0);
    return by;
  }
  template <typename T = float>
  std::vector<T> pooled(const std::vector<T>& values, const MeanWindow& by, std::int64_t windows,
                        aclDataType type = kTypeOf<T>) {
    const Values<T> self({1, 1, static_cast<std::int64_t>(values.size())}, values, type);
    const Values<T> out({1, 1, windows}, std::vector<T>(static_cast<std::size_t>(windows), T{9}), type);
    const Outcome outcome = avg_pool(self.tensor, of_row(by), out.tensor, stream);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    return out.read();
  }
  Floats gradient(const Floats& values, const MeanWindow& by, std::int64_t cells) {
    const Values<float> grad({1, 1, static_cast<std::int64_t>(values.size())}, values);
    const Values<float> self({1, 1, cells}, 7.0F);
    const Values<float> out({1, 1, cells}, 9.0F);
    const Outcome outcome = avg_pool_backward(grad.tensor, self.tensor, of_row(by), out.tensor, stream);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    return out.read();
  }
  Floats adapted(const Floats& values, std::int64_t windows) {
    const Values<float> self({1, 1, static_cast<std::int64_t>(values.size())}, values);
    const Values<float> out({1, 1, windows}, 9.0F);
    const Outcome outcome = adaptive_pool(self.tensor, {1, windows}, out.tensor, stream);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    return out.read();
  }
  Floats adapted_gradient(const Floats& values, std::int64_t cells) {
    const Values<float> grad({1, 1, static_cast<std::int64_t>(values.size())}, values);
    const Values<float> self({1, 1, cells}, 7.0F);
    const Values<float> out({1, 1, cells}, 9.0F);
    const Outcome outcome = adaptive_pool_backward(grad.tensor, self.tensor, out.tensor, stream);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    return out.read();
  }
};

TEST_F(MeanPool, CountsPaddingButNotWhatLiesBeyond) {
  EXPECT_EQ(pooled({1, 2, 3, 4}, {{3}, {2}, {1}, true, true}, 3), (Floats{1, 3, 2}));
  EXPECT_EQ(pooled({1, 2, 3, 4}, {{3}, {2}, {1}, true, false}, 3), (Floats{1.5F, 3, 4}));
}

TEST_F(MeanPool, DividesByAnyOverride) {
  MeanWindow by{{4}, {}, {0}, false, true, -4};
  EXPECT_EQ(bits(pooled({0, 0, 0, 0}, by, 1)[0]), 0x80000000U);
  EXPECT_EQ(pooled({1, 2, 3, 4}, by, 1), (Floats{-2.5F}));
  by.divisor = 0;  // not given
  EXPECT_EQ(bits(pooled({0, 0, 0, 0}, by, 1)[0]), 0U);
  EXPECT_EQ(pooled({1, 2, 3, 4}, by, 1), (Floats{2.5F}));
}

TEST_F(MeanPool, DividesByOverridesPast32Bits) {
  MeanWindow by{{2}, {}, {0}, false, true, std::int64_t{1} << 32};
  EXPECT_EQ(pooled({1, 2}, by, 1), (Floats{0x3p-32F}));
  EXPECT_EQ(gradient({3}, by, 2), (Floats{0x3p-32F, 0x3p-32F}));
  by.divisor = -(std::int64_t{1} << 33);
  EXPECT_EQ(pooled({1, 2}, by, 1), (Floats{-0x3p-33F}));
  by.divisor = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(pooled({1, 2}, by, 1), (Floats{-0x3p-63F}));
}

// Of one window that reaches past the padding only what lies before that counts, however large the numbers.
TEST_F(MeanPool, CountsOneHugeWindowAsASmallOne) {
  constexpr std::int64_t kHuge = 65537;
  for (const std::int64_t stride : {std::int64_t{3}, kHuge, kHuge << 40})
    EXPECT_EQ(pooled({1, 2}, {{3}, {stride}, {0}, true}, 1), (Floats{1.5F})) << stride;
  for (const std::int64_t kernel : {std::int64_t{5}, kHuge, kHuge << 40}) {
    EXPECT_EQ(pooled({1, 2, 3, 4}, {{kernel}, {kernel}, {0}, true}, 1), (Floats{2.5F})) << kernel;
    EXPECT_EQ(pooled({1, 2, 3, 4}, {{kernel}, {kernel}, {1}, true}, 1),
              (Floats{10.0F / std::min(kernel, std::int64_t{6})}))
        << kernel;
    EXPECT_EQ(gradient({10}, {{kernel}, {kernel}, {0}, true}, 4), Floats(4, 2.5F)) << kernel;
  }
  // Without padding that counts, with it, and with as much as there may be.
  EXPECT_EQ(pooled({1, 2}, {{kHuge}, {kHuge}, {kHuge / 2}, false, false}, 1), (Floats{1.5F}));
  EXPECT_EQ(pooled({1, 2}, {{kHuge}, {kHuge}, {kHuge / 2}}, 1), (Floats{3.0F / static_cast<float>(kHuge)}));
}

TEST_F(MeanPool, AddsInAscendingOrder) {
  EXPECT_EQ(bits(pooled({0x1p24F, 1, 1}, {{3}}, 1)[0]), 0x4aaaaaabU);
  EXPECT_EQ(bits(pooled({1, 1, 0x1p24F}, {{3}}, 1)[0]), 0x4aaaaaacU);
}

TEST_F(MeanPool, AddsLongSumsInLanesAndRuns) {
  Floats lanes(65, 1.0F);
  lanes.front() = 0x1p24F;
  lanes.back() = -0x1p24F;
  EXPECT_EQ(bits(pooled(lanes, {{65}}, 1)[0]), 0x3f781f82U);
  Floats runs(4097, 0.0F);
  runs[0] = 0x1p24F;
  runs[1] = 1;
  runs.back() = -0x1p24F;
  EXPECT_EQ(bits(pooled(runs, {{4097}}, 1)[0]), 0U);
}

// More than 4096 runs: those sums have runs of their own. What one call leaves behind does not change the
// next.
TEST_F(MeanPool, AddsOneLargeImageInRunsOfRuns) {
  constexpr std::size_t kRun = 4096;
  constexpr std::size_t kCells = 4098 * kRun - 5;
  Floats cells(kCells, 0.0F);
  cells[0] = 0x1p24F;
  cells[kRun] = 1;  // lost: added to 2^24 in the first 4096 runs
  cells[kRun * kRun] = -0x1p24F;
  cells[kRun * kRun + kRun] = 3;
  const auto divisor = static_cast<float>(kCells);
  for (int call = 0; call < 3; ++call) EXPECT_EQ(adapted(cells, 1)[0], 3 / divisor) << call;
  Floats fewer(cells.begin(), cells.begin() + 3 * kRun / 2);
  fewer.back() = 5;
  for (int call = 0; call < 3; ++call)
    EXPECT_EQ(adapted(fewer, 1)[0], (0x1p24F + 6) / static_cast<float>(fewer.size())) << call;
}

// Windows of 17 x 2 x 2: narrow along H and W, but long.
TEST_F(MeanPool, AddsDeepWindowsInLanes) {
  Floats cells(17 * 2 * 8, 1.0F);
  for (std::size_t window = 0; window < 4; ++window) {
    cells[2 * window] = 0x1p24F;
    cells[16 * (2 * 8) + 2 * window] = -0x1p24F;  // term 64, of lane 0 again
  }
  const Values<float> self({1, 17, 2, 8}, cells);
  const Values<float> out({1, 1, 1, 4}, 9.0F);
  const Outcome outcome = adaptive_pool(self.tensor, {1, 1, 4}, out.tensor, stream);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read(), Floats(4, 66.0F / 68.0F));
}

TEST_F(MeanPool, DividesOnceAndIsNoCopy) {
  EXPECT_EQ(bits(pooled({1, 2, 2}, {{3}}, 1)[0]), 0x3fd55555U);
  EXPECT_EQ(bits(pooled({-0.0F}, {{1}}, 1)[0]), 0U);
  EXPECT_EQ(bits(adapted({-0.0F}, 1)[0]), 0U);
}

TEST_F(MeanPool, AdaptsToMoreAndToFewerCells) {
  EXPECT_EQ(adapted({1, 2}, 5), (Floats{1, 1, 1.5F, 2, 2}));
  EXPECT_EQ(adapted({1, 2, 3, 4, 5}, 3), (Floats{1.5F, 3, 4.5F}));
}

TEST_F(MeanPool, GivesEachCellItsShares) {
  const Floats five = adapted_gradient({1, 2, 3}, 5);
  EXPECT_EQ(five[0], 0.5F);
  EXPECT_EQ(bits(five[1]), 0x3f955556U);
  EXPECT_EQ(five[2], 2.0F / 3.0F);
  EXPECT_EQ(bits(five[3]), 0x400aaaabU);
  EXPECT_EQ(five[4], 1.5F);
  EXPECT_EQ(adapted_gradient({1, 2, 3, 4, 5}, 2), (Floats{4.5F, 10.5F}));
}

TEST_F(MeanPool, DividesGradientsBeforeItAddsThem) {
  const Floats counted_pad = gradient({1, 2, 3, 4}, {{3}, {1}, {1}}, 4);
  EXPECT_EQ(Floats(counted_pad.begin(), counted_pad.end() - 1), (Floats{1, 2, 3}));
  EXPECT_EQ(bits(counted_pad[3]), 0x40155556U);
  const Floats cells = gradient({1, 2, 3, 4}, {{3}, {1}, {1}, false, false}, 4);
  EXPECT_EQ(cells, (Floats{0.5F + 2.0F / 3.0F, 0.5F + 2.0F / 3.0F + 1.0F, 2.0F / 3.0F + 1.0F + 2.0F, 3}));
}

TEST_F(MeanPool, RoundsHalvesOnce) {
  using Halves = std::vector<std::int16_t>;
  // 16000, 32000, 48000, 64000: their sum is no FLOAT16.
  const Halves halves{0x73d0, 0x77d0, 0x79dc, 0x7bd0};
  EXPECT_EQ(pooled<std::int16_t>(halves, {{4}}, 1, ACL_FLOAT16), (Halves{0x78e2}));  // 40000
  EXPECT_EQ(pooled<std::int16_t>(halves, {{4}, {}, {0}, false, true, 1}, 1, ACL_FLOAT16), (Halves{0x7c00}));
  EXPECT_EQ(pooled<std::int16_t>({0x3f80, 0x3f81, 0x3f81}, {{3}}, 1, ACL_BF16), (Halves{0x3f81}));
}

TEST_F(MeanPool, GivesNothingToCellsOutsideTheWindow) {
  const Values<float> grad({1, 1, 1, 1}, 100.0F);
  const Values<float> self({1, 1, 10, 10}, 7.0F);
  for (const bool include : {true, false}) {
    const Values<float> out({1, 1, 10, 10}, 9.0F);
    const Outcome outcome =
        avg_pool_backward(grad.tensor, self.tensor, {{10}, {11}, {5}, false, include}, out.tensor, stream);
    ASSERT_TRUE(outcome.succeeded()) << outcome;
    const Floats found = out.read();
    for (std::size_t i = 0; i < 100; ++i)
      EXPECT_EQ(found[i], i / 10 < 5 && i % 10 < 5 ? (include ? 1.0F : 4.0F) : 0.0F) << i;
  }
}

TEST_F(MeanPool, KeepsNansWhereTheyAre) {
  const float nan = std::nanf("1");
  const Floats found = pooled({nan, 1, 2, 3}, {{2}, {1}}, 3);
  EXPECT_EQ(bits(found[0]), 0x7fc00000U);
  EXPECT_EQ(found[1], 1.5F);
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(bits(pooled({infinity, -infinity}, {{2}}, 1)[0]), 0x7fc00000U);
}

TEST_F(MeanPool, WritesZerosWhereThereIsNoGradient) {
  const Tensor grad({{1, 1, 0, 16}}, nullptr);
  const Values<float> self({1, 1, 32, 16}, 7.0F);
  const Values<float> out({1, 1, 32, 16}, 9.0F);
  const Outcome outcome = adaptive_pool_backward(grad, self.tensor, out.tensor, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read(), Floats(512, 0.0F));
}

TEST_F(MeanPool, AveragesInDoubleWherePortable) {
  const Values<double> grad({1, 1, 1, 1}, 1.0);
  const Values<double> self({1, 1, 1, 3}, 7.0);
  const Values<double> out({1, 1, 1, 3}, 9.0);
  const Outcome outcome = adaptive_pool_backward(grad.tensor, self.tensor, out.tensor, stream, true);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read(), std::vector<double>(3, 1.0 / 3.0));
}

// The vendor's programs, as their description has them: values, calls, what they print.
TEST_F(MeanPool, RunsThePrograms) {
  const Values<float> planes({1, 16, 4, 4}, 2.0F);
  const Values<float> means({1, 16, 1, 1}, 0.0F);
  MeanWindow by{{4, 4}, {1, 1}, {0, 0}};
  by.cube_math_type = 2;
  EXPECT_TRUE(avg_pool(planes.tensor, by, means.tensor, stream).succeeded());
  EXPECT_EQ(means.read(), Floats(16, 2.0F));

  const Values<float> volumes({1, 16, 4, 4, 4}, 2.0F);
  const Values<float> of_volumes({1, 16, 1, 1, 1}, 0.0F);
  EXPECT_TRUE(avg_pool(volumes.tensor, {{4, 4, 4}, {1, 1, 1}, {0, 0, 0}}, of_volumes.tensor, stream, true)
                  .succeeded());
  EXPECT_EQ(of_volumes.read(), Floats(16, 2.0F));

  const Values<float> ones({1, 16, 1, 1}, 1.0F);
  const Values<float> grad({1, 16, 4, 4}, 1.0F);
  by.cube_math_type = 1;
  EXPECT_TRUE(avg_pool_backward(ones.tensor, planes.tensor, by, grad.tensor, stream).succeeded());
  EXPECT_EQ(grad.read(), Floats(256, 0.0625F));

  const Values<float> volume_ones({1, 16, 1, 1, 1}, 1.0F);
  const Values<float> output({1, 16, 4, 4, 4}, 1.0F);
  EXPECT_TRUE(avg_pool_backward(volume_ones.tensor, volumes.tensor,
                                {{4, 4, 4}, {1, 1, 1}, {0, 0, 0}, false, false}, output.tensor, stream, true)
                  .succeeded());
  EXPECT_EQ(output.read(), Floats(1024, 0.015625F));
}

TEST_F(MeanPool, RunsTheAdaptivePrograms) {
  const Values<float> planes({2, 2, 3, 3}, counted(36));
  const Values<float> means({2, 2, 2, 2}, 0.0F);
  EXPECT_TRUE(adaptive_pool(planes.tensor, {2, 2}, means.tensor, stream).succeeded());
  EXPECT_EQ(means.read(), (Floats{3, 4, 6, 7, 12, 13, 15, 16, 21, 22, 24, 25, 30, 31, 33, 34}));

  Floats twice = counted(16);
  twice.insert(twice.end(), twice.begin(), twice.begin() + 16);
  const Values<float> volumes({2, 1, 2, 2, 4}, twice);
  const Values<float> of_volumes({2, 1, 2, 2, 2}, 0.0F);
  EXPECT_TRUE(adaptive_pool(volumes.tensor, {2, 2, 2}, of_volumes.tensor, stream).succeeded());
  Floats expected;
  for (int i = 0; i < 16; ++i) expected.push_back(1.5F + 2.0F * static_cast<float>(i % 8));
  EXPECT_EQ(of_volumes.read(), expected);

  const Values<float> grad({1, 1, 3, 2}, counted(6));
  const Values<float> self({1, 1, 4, 2}, 0.0F);
  const Values<float> out({1, 1, 4, 2}, 0.0F);
  EXPECT_TRUE(adaptive_pool_backward(grad.tensor, self.tensor, out.tensor, stream).succeeded());
  EXPECT_EQ(out.read(), (Floats{0.5F, 1, 2, 3, 4, 5, 2.5F, 3}));

  const Values<float> grads({2, 2, 1, 1, 2}, counted(8));
  const Values<float> selves({2, 2, 1, 1, 4}, 0.0F);
  const Values<float> outs({2, 2, 1, 1, 4}, 0.0F);
  EXPECT_TRUE(adaptive_pool_backward(grads.tensor, selves.tensor, outs.tensor, stream, true).succeeded());
  Floats halves;
  for (int i = 0; i < 16; ++i) halves.push_back(0.5F * static_cast<float>(i / 2 + 1));
  EXPECT_EQ(outs.read(), halves);
}

// What the vendor's unit tests pass that its pages rule out, and the other way round.
TEST_F(MeanPool, AnswersWhatThePagesSay) {
  const auto on = [](const char* product, const auto& call) {
    setenv("CAIRN_PRODUCT", product, 1);
    const aclnnStatus status = call().phase1;
    unsetenv("CAIRN_PRODUCT");
    return status;
  };
  const Tensor self({{1, 1, 12, 40}, ACL_FLOAT, ACL_FORMAT_NCHW}, nullptr);
  const Tensor out({{1, 1, 6, 20}, ACL_FLOAT, ACL_FORMAT_NCHW}, nullptr);
  for (const int type : {1, 3}) {
    MeanWindow by{{2}};
    by.cube_math_type = static_cast<std::int8_t>(type);
    const auto call = [&] { return avg_pool(self, by, out, stream); };
    EXPECT_EQ(on("Ascend910B2", call), 161002);
    EXPECT_EQ(on("portable", call), 0);
  }
}

}  // namespace
}  // namespace api_test
