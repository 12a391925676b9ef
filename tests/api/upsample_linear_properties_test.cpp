#include <cmath>

#include "api/upsample_calls.h"

// What follows from the definition of linear, cubic and antialiased upsampling, whatever the numbers are.
namespace api_test {
namespace {

struct Method {
  const char* name;
  decltype(&aclnnUpsampleBilinear2dGetWorkspaceSize) plan;
  Phase2 run;
  decltype(&aclnnUpsampleBilinear2dBackwardGetWorkspaceSize) plan_backward;
  Phase2 run_backward;
};
const Method kMethods[] = {
    {"bilinear", UPSAMPLE(Bilinear2d), UPSAMPLE(Bilinear2dBackwardV2)},
    {"bicubic", UPSAMPLE(Bicubic2d), UPSAMPLE(Bicubic2dBackward)},
    {"bilinear AA", UPSAMPLE(Bilinear2dAA), UPSAMPLE(Bilinear2dAABackward)},
    {"bicubic AA", UPSAMPLE(Bicubic2dAA), UPSAMPLE(Bicubic2dAAGrad)},
};

struct Sizes {
  std::int64_t h, w, oh, ow;
  bool align_corners = false;
  double scale_h = 0, scale_w = 0;
};
const Sizes kSizes[] = {{5, 7, 10, 14},
                        {5, 7, 8, 16},
                        {9, 12, 4, 5},
                        {9, 12, 4, 5, true},
                        {3, 4, 9, 11, true},
                        {1, 6, 1, 3},
                        {6, 6, 6, 6},
                        {5, 7, 12, 17, false, 2.5, 2.5},
                        {4, 4, 6, 6, false, 1.7, 0},
                        {40, 3, 2, 50}};

std::vector<double> waves(std::int64_t count, double step) {
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(step * static_cast<double>(i) + 1);
  return values;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double total(const std::vector<double>& values) { return dot(values, std::vector<double>(values.size(), 1)); }

class UpsampleLinearProperties : public DeviceTest {
 protected:
  template <typename T>
  std::vector<T> forward(const Method& method, const Sizes& s, const std::vector<T>& values) {
    const Values<T> self({1, 1, s.h, s.w}, values);
    const Values<T> out({1, 1, s.oh, s.ow}, T{-99});
    const Outcome outcome = upsample(method.plan, method.run, self.tensor, {s.oh, s.ow}, out.tensor, stream,
                                     s.align_corners, s.scale_h, s.scale_w);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    return out.read();
  }
  template <typename T>
  std::vector<T> backward(const Method& method, const Sizes& s, const std::vector<T>& values) {
    const Values<T> large({1, 1, s.oh, s.ow}, values);
    const Values<T> small({1, 1, s.h, s.w}, T{99});
    const Outcome outcome =
        upsample_backward(method.plan_backward, method.run_backward, large.tensor, {s.oh, s.ow},
                          {1, 1, s.h, s.w}, small.tensor, stream, s.align_corners, s.scale_h, s.scale_w);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    return small.read();
  }
};

// <gradient, forward(x)> is <backward(gradient), x>: the one matrix is the other, transposed.
TEST_F(UpsampleLinearProperties, TheGradientIsTheAdjoint) {
  for (const Method& method : kMethods) {
    for (const Sizes& s : kSizes) {
      SCOPED_TRACE(method.name + std::string(" ") + std::to_string(&s - kSizes));
      const auto x = waves(s.h * s.w, 0.7);
      const auto g = waves(s.oh * s.ow, 1.3);
      EXPECT_NEAR(dot(g, forward(method, s, x)), dot(backward(method, s, g), x), 1e-12);
    }
  }
}

// Each position's weights add up to 1, so nothing of a gradient is lost, and what is even stays so.
TEST_F(UpsampleLinearProperties, WeightsAddUpToOne) {
  for (const Method& method : kMethods) {
    for (const Sizes& s : kSizes) {
      SCOPED_TRACE(method.name + std::string(" ") + std::to_string(&s - kSizes));
      const auto g = waves(s.oh * s.ow, 1.3);
      EXPECT_NEAR(total(backward(method, s, g)), total(g), 1e-12);
      for (const double value :
           forward(method, s, std::vector<double>(static_cast<std::size_t>(s.h * s.w), 0.1)))
        EXPECT_NEAR(value, 0.1, 1e-15);
    }
  }
}

// An image of one cell is that cell everywhere, and one that keeps its size is itself, bit for bit.
TEST_F(UpsampleLinearProperties, WhatIsNotMixedKeepsItsBits) {
  for (const Method& method : kMethods) {
    SCOPED_TRACE(method.name);
    EXPECT_EQ(forward<float>(method, {1, 1, 3, 5}, {0.1F}), std::vector<float>(15, 0.1F));
    const std::vector<float> image = {0.1F, -0.0F, 1e-42F, 3e38F, -7.7F, 0.3F};
    const std::vector<float> same = forward<float>(method, {2, 3, 2, 3}, image);
    EXPECT_EQ(same, image);
    EXPECT_TRUE(std::signbit(same[1]));
    EXPECT_EQ(backward<float>(method, {2, 3, 2, 3}, image), image);
  }
}

}  // namespace
}  // namespace api_test
