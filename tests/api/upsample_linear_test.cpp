#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "api/upsample_calls.h"

// Linear, cubic and antialiased upsampling and their gradients where results are easily got wrong. The
// numbers were computed apart, from the definition.
namespace api_test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> counted(std::size_t count, float first) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

class UpsampleLinear : public DeviceTest {
 protected:
  using Line = std::vector<float>;

  // A line of one, and of an image with one row.
  Line linear(const Line& cells, std::size_t out, bool align_corners = false, double scale = -1.0) {
    const Values<float> self({1, 1, length(cells)}, cells);
    const Values<float> result({1, 1, static_cast<std::int64_t>(out)}, -99.0F);
    succeeds(upsample(UPSAMPLE(Linear1d), self.tensor, {static_cast<std::int64_t>(out)}, result.tensor,
                      stream, align_corners, scale));
    return result.read();
  }
  template <typename Plan>
  Line image_row(Plan* plan, Phase2 phase2, const Line& cells, std::size_t out, bool align_corners = false,
                 double scale = 0.0) {
    const Values<float> self({1, 1, 1, length(cells)}, cells);
    const Values<float> result({1, 1, 1, static_cast<std::int64_t>(out)}, -99.0F);
    const Tensor from = flagged(self);
    const Tensor to = flagged(result);
    succeeds(upsample(plan, phase2, from, {1, static_cast<std::int64_t>(out)}, to, stream, align_corners, 0.0,
                      scale));
    return result.read();
  }
  Line gradient(const Line& positions, std::size_t in, bool align_corners = false, double scale = 0.0) {
    const Values<float> large({1, 1, length(positions)}, positions);
    const Values<float> small({1, 1, static_cast<std::int64_t>(in)}, 99.0F);
    succeeds(upsample_backward(UPSAMPLE(Linear1dBackward), large.tensor, {length(positions)},
                               {1, 1, static_cast<std::int64_t>(in)}, small.tensor, stream, align_corners,
                               scale));
    return small.read();
  }

  // With the flag that products ask for.
  static Tensor flagged(const Values<float>& values) {
    TensorSpec spec = values.spec;
    spec.format = ACL_FORMAT_NCHW;
    return {spec, values.buffer.address()};
  }
  static std::int64_t length(const Line& line) { return static_cast<std::int64_t>(line.size()); }
  static void succeeds(const Outcome& outcome) { EXPECT_TRUE(outcome.succeeded()) << outcome; }
  static std::vector<bool> signs(const Line& line) {
    std::vector<bool> result;
    for (const float value : line) result.push_back(std::signbit(value));
    return result;
  }
};

TEST_F(UpsampleLinear, BordersAreTheVeryBits) {
  EXPECT_EQ(linear({0.7F}, 5), Line(5, 0.7F));
  EXPECT_EQ(linear({0.1F, 0.7F}, 5), (Line{0.1F, 0.16F, 0.4F, 0.64F, 0.7F}));
}

TEST_F(UpsampleLinear, InfinityStaysWhereItIs) {
  EXPECT_EQ(linear({kInf, 1, 2}, 3), (Line{kInf, 1, 2}));
  EXPECT_EQ(linear({kInf, 1, 2}, 6), (Line{kInf, kInf, kInf, 1.25F, 1.75F, 2}));
  EXPECT_EQ(linear({1, 2, kInf}, 5, true), (Line{1, 1.5F, 2, kInf, kInf}));
}

TEST_F(UpsampleLinear, PositionsAreExact) {
  const Line out = linear(counted(4000, 0), 6000);
  EXPECT_EQ(out[1], 0.5F);
  EXPECT_EQ(out[4000], 2666.5F);
  EXPECT_EQ(out[4001], 2667.1667F);
  EXPECT_EQ(out[5997], 3997.8333F);
  EXPECT_EQ(out[5999], 3999.0F);
}

TEST_F(UpsampleLinear, AScaleThatGivesTheSizeIsNotTheSizes) {
  const Line by_scale = {1, 1.1F, 1.5F, 1.9F, 2.3F, 2.6999998F, 3.1F, 3.5F, 3.8999999F, 4.3F, 4.7F, 5};
  const Line by_sizes = {1,          1.125F, 1.5416667F, 1.9583333F, 2.375F, 2.7916667F,
                         3.2083333F, 3.625F, 4.0416665F, 4.4583335F, 4.875F, 5};
  EXPECT_EQ(linear({1, 2, 3, 4, 5}, 12, false, 2.5), by_scale);
  EXPECT_EQ(linear({1, 2, 3, 4, 5}, 12), by_sizes);
  // In three dimensions all scales count or none does.
  const Values<float> self({1, 1, 5, 1, 1}, {1, 2, 3, 4, 5});
  const Values<float> out({1, 1, 12, 1, 1}, -99.0F);
  succeeds(
      upsample(UPSAMPLE(Trilinear3d), self.tensor, {12, 1, 1}, out.tensor, stream, false, 2.5, 0.0, 0.0));
  EXPECT_EQ(out.read(), by_sizes);
}

TEST_F(UpsampleLinear, AScaleThatDoesNotGiveTheSizeIsUsed) {
  EXPECT_EQ(linear({1, 2, 3}, 6, false, 1.0), (Line{1, 2, 3, 3, 3, 3}));
  EXPECT_EQ(linear({1, 2, 3}, 5, false, 4.0), (Line{1, 1, 1.125F, 1.375F, 1.625F}));
  EXPECT_EQ(gradient(Line(5, 1.0F), 3, false, 4.0), (Line{3.875F, 1.125F, 0}));
  const OnProduct a2("Ascend910B1");
  EXPECT_EQ(image_row(UPSAMPLE(Bilinear2d), {1, 2, 3}, 6, false, 1.0), (Line{1, 2, 3, 3, 3, 3}));
}

TEST_F(UpsampleLinear, AScaleMovesAnAxisThatKeepsItsSizeUnlessItIsLinear) {
  EXPECT_EQ(linear({1, 2, 4}, 3, false, 1.2), (Line{1, 2, 4}));
  EXPECT_EQ(image_row(UPSAMPLE(Bicubic2d), {1, 2, 4}, 3, false, 1.2), (Line{0.9474827F, 1.5625F, 3.262876F}));
  EXPECT_EQ(image_row(UPSAMPLE(Bilinear2dAA), {1, 2, 4}, 3, false, 1.2), (Line{1, 1.75F, 3.1666665F}));
}

TEST_F(UpsampleLinear, ShrinkingMeetsWholeCells) {
  EXPECT_EQ(linear({1, 2, 3, 4, 5, 6}, 2), (Line{2, 5}));
  const Line cells = gradient({10, 20}, 6);
  EXPECT_EQ(cells, (Line{0, 10, 0, 0, 20, 0}));
  EXPECT_EQ(signs(cells), std::vector<bool>(6, false));
}

TEST_F(UpsampleLinear, MinusZeroSurvivesForwardOnly) {
  EXPECT_EQ(signs(linear({-0.0F, -0.0F}, 3)), std::vector<bool>(3, true));
  EXPECT_EQ(signs(gradient(Line(3, -0.0F), 2)), std::vector<bool>(2, false));
  EXPECT_EQ(signs(gradient({-0.0F}, 1)), std::vector<bool>(1, false));
}

TEST_F(UpsampleLinear, GradientsAreSummedAxisByAxis) {
  EXPECT_EQ(gradient({1, 2, 3, 4, 5}, 2), (Line{4.7000003F, 10.3F}));
  const Values<float> large({1, 1, 4, 4, 4}, counted(64, 0));
  const Values<float> small({1, 1, 2, 2, 2}, 99.0F);
  succeeds(upsample_backward(UPSAMPLE(Trilinear3dBackward), large.tensor, {4, 4, 4}, {1, 1, 2, 2, 2},
                             small.tensor, stream, false, 0.0, 0.0, 0.0));
  EXPECT_EQ(small.read(), (Line{105, 119, 161, 175, 329, 343, 385, 399}));
}

TEST_F(UpsampleLinear, AntialiasedWindowsReachFurtherWhenShrinking) {
  const Line cells = counted(7, 1);
  EXPECT_EQ(image_row(UPSAMPLE(Bilinear2dAA), cells, 3), (Line{1.8571429F, 4, 6.142857F}));
  EXPECT_EQ(image_row(UPSAMPLE(Bicubic2dAA), cells, 3), (Line{1.717742F, 4.0000005F, 6.282258F}));
  EXPECT_EQ(image_row(UPSAMPLE(Bilinear2dAA), cells, 1, true), (Line{1}));
  EXPECT_EQ(image_row(UPSAMPLE(Bicubic2dAA), cells, 1, true), (Line{0.875F}));
}

TEST_F(UpsampleLinear, HalvesAreSummedInFloatAndRoundedOnce) {
  // 60000 and 65504; cubic weights overshoot past the largest.
  const Values<std::uint16_t> self({1, 1, 1, 2}, {0x7B53, 0x7BFF}, ACL_FLOAT16);
  const Values<std::uint16_t> out({1, 1, 1, 4}, {0, 0, 0, 0}, ACL_FLOAT16);
  succeeds(upsample(UPSAMPLE(Bicubic2d), self.tensor, {1, 4}, out.tensor, stream, false, 0.0, 0.0));
  EXPECT_EQ(out.read(), (std::vector<std::uint16_t>{0x7B41, 0x7B7A, 0x7BD8, 0x7C00}));
  // 5000 ones: a sum of halves would stop at 2048.
  const Values<std::uint16_t> ones({1, 1, 5000}, std::vector<std::uint16_t>(5000, 0x3C00), ACL_FLOAT16);
  const Values<std::uint16_t> cells({1, 1, 2}, {0, 0}, ACL_FLOAT16);
  succeeds(upsample_backward(UPSAMPLE(Linear1dBackward), ones.tensor, {5000}, {1, 1, 2}, cells.tensor, stream,
                             false, 0.0));
  EXPECT_EQ(cells.read(), (std::vector<std::uint16_t>{0x68E2, 0x68E2}));
}

// Without scales a mirrored line gives the mirrored result, bit for bit.
TEST_F(UpsampleLinear, MirrorsLikeItsInput) {
  Line cells(37);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = std::sin(static_cast<float>(i * i + 1));
  const Line straight = linear(cells, 100);
  Line mirrored = linear({cells.rbegin(), cells.rend()}, 100);
  std::reverse(mirrored.begin(), mirrored.end());
  EXPECT_EQ(straight, mirrored);
}

TensorSpec image(const Dims& dims, aclDataType type = ACL_FLOAT, aclFormat format = ACL_FORMAT_NCHW) {
  return {dims, type, format};
}

TEST_F(UpsampleLinear, StatusesOfAtlasA2And950) {
  constexpr aclnnStatus kOk = 0;
  constexpr aclnnStatus kRefused = 161002;
  const auto line = [](std::int64_t length) { return TensorSpec{{1, 1, length}}; };
  const OnProduct a2("Ascend910B1");
  EXPECT_EQ(status_of(UPSAMPLE(Linear1d), line(2), {6}, line(6), false, 0.0), kRefused);
  EXPECT_EQ(status_of(UPSAMPLE(Linear1d), line(2), {6}, line(6), false, -1.0), kOk);
  EXPECT_EQ(
      backward_status_of(UPSAMPLE(Linear1dBackward), line(3300), {3300}, {1, 1, 6}, line(6), false, 550.0),
      kRefused);
  const auto bilinear = [&](const TensorSpec& self, const TensorSpec& out, double scale) {
    return status_of(UPSAMPLE(Bilinear2d), self, {4, 4}, out, false, scale, scale);
  };
  EXPECT_EQ(bilinear(image({1, 1, 2, 2}, ACL_FLOAT, ACL_FORMAT_ND),
                     image({1, 1, 4, 4}, ACL_FLOAT, ACL_FORMAT_ND), 0),
            kRefused);
  EXPECT_EQ(bilinear(image({1, 1, 2, 2}, ACL_DOUBLE), image({1, 1, 4, 4}, ACL_DOUBLE), 0), kRefused);
  EXPECT_EQ(bilinear(image({1, 2, 2, 1}, ACL_DOUBLE, ACL_FORMAT_NHWC),
                     image({1, 4, 4, 1}, ACL_DOUBLE, ACL_FORMAT_NHWC), 0),
            kOk);
  EXPECT_EQ(bilinear(image({1, 1, 2, 2}), image({1, 1, 4, 4}), -1), kRefused);
  EXPECT_EQ(
      status_of(UPSAMPLE(Bilinear2dAA), image({0, 1, 2, 2}), {4, 4}, image({0, 1, 4, 4}), false, 0.0, 0.0),
      kRefused);
  EXPECT_EQ(
      status_of(UPSAMPLE(Bicubic2dAA), image({0, 1, 2, 2}), {4, 4}, image({0, 1, 4, 4}), false, 0.0, 0.0),
      kOk);
  const auto cubic_last = [&] {
    return status_of(UPSAMPLE(Bicubic2d), image({1, 2, 2, 1}, ACL_FLOAT, ACL_FORMAT_NHWC), {4, 4},
                     image({1, 4, 4, 1}, ACL_FLOAT, ACL_FORMAT_NHWC), false, 0.0, 0.0);
  };
  EXPECT_EQ(cubic_last(), kRefused);
  const OnProduct ascend950("Ascend950");
  EXPECT_EQ(cubic_last(), kOk);
  EXPECT_EQ(backward_status_of(UPSAMPLE(Trilinear3dBackward), TensorSpec{{1, 1, 4, 4, 4}}, {4, 4, 4},
                               {1, 1, 2, 2, 2}, TensorSpec{{1, 1, 2, 2, 2}}, false, 0.0, 0.0, 0.0),
            kRefused);
}

}  // namespace
}  // namespace api_test
