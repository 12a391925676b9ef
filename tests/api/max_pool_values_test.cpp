#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "aclnnop/aclnn_ops_nn.h"
#include "api/values.h"

// Pooling without indices as a program uses it: the places that are easily got wrong.
namespace api_test {
namespace {

using Dims = std::vector<std::int64_t>;

struct Window {
  Dims kernel;
  Dims strides;
  Dims pads{};
  std::int64_t ceil_mode = 0;
  Dims dilations{};
  std::int64_t auto_pad = 0;
};

Outcome pool(const Tensor& self, const Window& window, const Tensor& out, aclrtStream stream) {
  const IntArray kernel(window.kernel), strides(window.strides), pads(window.pads),
      dilations(window.dilations);
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPoolGetWorkspaceSize(self, kernel, strides, window.auto_pad, pads, dilations,
                                            window.ceil_mode, out, size, executor);
      },
      aclnnMaxPool, stream);
}

class MaxPool : public DeviceTest {
 protected:
  // One row through windows along it.
  template <typename T>
  std::vector<T> row(const std::vector<T>& values, const Window& window, std::int64_t windows) {
    const Values<T> self({1, 1, static_cast<std::int64_t>(values.size())}, values);
    const Values<T> out({1, 1, windows}, T{99});
    const Outcome outcome = pool(self.tensor, window, out.tensor, stream);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    return out.read();
  }
};

TEST_F(MaxPool, PadsEachSideAndRoundsUpForAnyCeilMode) {
  const std::vector<float> values{1, 2, 3, 4, 5};
  EXPECT_EQ(row<float>(values, {{1, 3}, {1, 2}, {0, 2, 0, 1}, 0}, 3), (std::vector<float>{1, 3, 5}));
  EXPECT_EQ(row<float>(values, {{1, 3}, {1, 2}, {0, 2, 0, 1}, 7}, 4), (std::vector<float>{1, 3, 5, 5}));
}

TEST_F(MaxPool, GivesTheLeastValueToAWindowInThePadding) {
  const Window window{{1, 2}, {}, {0, 2, 0, 0}};
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(row<float>({7, 8}, window, 3), (std::vector<float>{-infinity, 7, 8}));
  EXPECT_EQ(row<std::int8_t>({7, 8}, window, 3), (std::vector<std::int8_t>{-128, 7, 8}));
  EXPECT_EQ(row<std::uint8_t>({7, 8}, window, 3), (std::vector<std::uint8_t>{0, 7, 8}));
}

TEST_F(MaxPool, KeepsTheFirstZeroAndTheNan) {
  const std::vector<float> found = row<float>({std::nanf(""), 1, -0.0F, 0}, {{1, 2}, {1}}, 3);
  EXPECT_TRUE(std::isnan(found[0]));
  EXPECT_EQ(found[1], 1.0F);
  EXPECT_TRUE(found[2] == 0.0F && std::signbit(found[2]));
  EXPECT_EQ(row<float>({1, 3, 2, 4}, {{1, 2}, {1}}, 3), (std::vector<float>{3, 3, 4}));
}

TEST_F(MaxPool, ComparesUnsignedAndWideIntegers) {
  EXPECT_EQ(row<std::uint8_t>({200, 100, 3, 250}, {{1, 2}, {1, 2}}, 2),
            (std::vector<std::uint8_t>{200, 250}));
  const std::int64_t large = (std::int64_t{1} << 53) + 1;
  EXPECT_EQ(row<std::int64_t>({large, large - 1, -large, INT64_MIN}, {{1, 2}, {1, 2}}, 2),
            (std::vector<std::int64_t>{large, -large}));
  EXPECT_EQ(row<double>({0x1p-60, 0x1p-60 + 0x1p-112}, {{1, 2}, {1, 2}}, 1),
            (std::vector<double>{0x1p-60 + 0x1p-112}));
}

// What the vendor's program prints.
TEST_F(MaxPool, RunsTheExample) {
  std::vector<float> values(36);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
  const Values<float> self({2, 2, 3, 3}, values);
  const Values<float> out({2, 2, 2, 2}, 0.0F);
  const Outcome outcome = pool(self.tensor, {{2, 2}, {2, 2}, {0, 0, 0, 0}, 1, {1, 1}}, out.tensor, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read(), (std::vector<float>{5, 6, 8, 9, 14, 15, 17, 18, 23, 24, 26, 27, 32, 33, 35, 36}));
}

TEST_F(MaxPool, RefusesOnAtlasA2WhatItsPageRulesOut) {
  const Values<float> self({1, 1, 4, 4}, 1.0F);
  const Values<float> out({1, 1, 2, 2}, 0.0F);
  const auto status = [&](const Tensor& from, const Window& window, const Tensor& to) {
    setenv("CAIRN_PRODUCT", "Ascend910B1", 1);
    const Outcome outcome = pool(from, window, to, stream);
    unsetenv("CAIRN_PRODUCT");
    return outcome.phase1;
  };
  const Window usual{{2}, {2}};
  EXPECT_EQ(status(self.tensor, usual, out.tensor), 0);
  EXPECT_EQ(status(self.tensor, {{2}, {2}, {}, 0, {}, 1}, out.tensor), 161002);  // autoPad 1
  EXPECT_EQ(status(self.tensor, {{2}, {2}, {}, 0, {2}}, out.tensor), 161002);    // dilations {2}
  EXPECT_EQ(status(self.tensor, {{2}, {2}, {2, 0, 1, 0}}, out.tensor), 161002);  // pads {2,0,1,0}
  EXPECT_EQ(status(self.tensor, {{2}, {2}, {-1}}, out.tensor), 161002);          // pads {-1}
  const auto with = [&](const TensorSpec& from, const TensorSpec& to) {
    const Tensor source(from, self.buffer.address());
    const Tensor destination(to, out.buffer.address());
    return status(source, usual, destination);
  };
  EXPECT_EQ(with({{1, 4, 4, 1}, ACL_FLOAT, ACL_FORMAT_NHWC}, {{1, 2, 2, 1}, ACL_FLOAT, ACL_FORMAT_NHWC}),
            161002);
  EXPECT_EQ(with({{1, 1, 4, 4}, ACL_BF16}, {{1, 1, 2, 2}, ACL_BF16}), 161002);
  EXPECT_EQ(with({{1, 0, 4, 4}}, {{1, 0, 2, 2}}), 161002);
  EXPECT_EQ(with({{0, 1, 4, 4}}, {{0, 1, 2, 2}}), 0);
}

TEST_F(MaxPool, IsOfferedWhereTheVendorDoes) {
  const Values<std::int32_t> memory({1, 1, 4, 4}, 0);
  const Values<std::int32_t> result({1, 1, 2, 2}, 0);
  const auto status = [&](const char* product, aclDataType type) {
    const Tensor self({{1, 1, 4, 4}, type}, memory.buffer.address());
    const Tensor out({{1, 1, 2, 2}, type}, result.buffer.address());
    setenv("CAIRN_PRODUCT", product, 1);
    const Outcome outcome = pool(self, {{2}, {2}}, out, stream);
    unsetenv("CAIRN_PRODUCT");
    return outcome.phase1;
  };
  EXPECT_EQ(status("atlas-training", ACL_FLOAT), 161002);
  EXPECT_EQ(status("atlas-training", ACL_FLOAT16), 0);
  EXPECT_EQ(status("atlas-inference", ACL_FLOAT), 161002);
  EXPECT_EQ(status("Ascend950", ACL_UINT16), 0);
  EXPECT_EQ(status("Ascend950", ACL_BF16), 0);
}

}  // namespace
}  // namespace api_test
