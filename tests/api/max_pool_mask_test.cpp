#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "aclnnop/aclnn_ops_nn.h"
#include "api/values.h"

// Pooling with a mask and its gradient as a program uses them: every byte of the mask.
namespace api_test {
namespace {

using Dims = std::vector<std::int64_t>;
using Bytes = std::vector<std::int8_t>;

struct Window {
  Dims kernel;
  Dims stride;
  bool ceil_mode = false;
};

Outcome pool(const Tensor& self, const Window& window, const Tensor& out, const Tensor& mask,
             aclrtStream stream) {
  const IntArray kernel(window.kernel), stride(window.stride), padding({0, 0}), dilation({1, 1});
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool2dWithMaskGetWorkspaceSize(self, kernel, stride, padding, dilation,
                                                      window.ceil_mode, out, mask, size, executor);
      },
      aclnnMaxPool2dWithMask, stream);
}

Outcome pool_backward(const Tensor& grad, const Tensor& self, const Tensor& mask, const Window& window,
                      const Tensor& out, aclrtStream stream) {
  const IntArray kernel(window.kernel), stride(window.stride), padding({0, 0}), dilation({1, 1});
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool2dWithMaskBackwardGetWorkspaceSize(
            grad, self, mask, kernel, stride, padding, dilation, window.ceil_mode, out, size, executor);
      },
      aclnnMaxPool2dWithMaskBackward, stream);
}

void put(Bytes& bytes, std::size_t at, const std::vector<std::int32_t>& positions) {
  std::memcpy(bytes.data() + at, positions.data(), positions.size() * sizeof(std::int32_t));
}

class MaxPool2dWithMask : public DeviceTest {
 protected:
  const Values<float> self{{1, 2, 3, 3}, {1, 2, 2, 0, 2, 1, 5, 5, 4, -1, -3, -1, -2, -1, -5, -9, -1, -1}};
  const Window overlapping{{2, 2}, {1, 1}};
};

TEST_F(MaxPool2dWithMask, PutsPositionsInFrontAndLeavesTheRest) {
  const Values<float> out({1, 2, 2, 2}, 99.0F);
  const Values<std::int8_t> mask({1, 2, 4, 64}, std::int8_t{0x5A});
  const Outcome outcome = pool(self.tensor, overlapping, out.tensor, mask.tensor, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read(), (std::vector<float>{2, 2, 5, 5, -1, -1, -1, -1}));
  Bytes expected(512, 0x5A);
  put(expected, 0, {1, 1, 6, 7, 0, 2, 4, 4});
  EXPECT_EQ(mask.read(), expected);

  const Values<float> grad({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const Values<float> result({1, 2, 3, 3}, 99.0F);
  const Outcome back =
      pool_backward(grad.tensor, self.tensor, mask.tensor, overlapping, result.tensor, stream);
  ASSERT_TRUE(back.succeeded()) << back;
  EXPECT_EQ(result.read(), (std::vector<float>{0, 3, 0, 0, 0, 0, 3, 4, 0, 5, 0, 6, 0, 15, 0, 0, 0, 0}));
}

TEST_F(MaxPool2dWithMask, HonoursAnyOffset) {
  for (const std::int64_t offset : {4, 7, 64}) {
    const Values<float> out({1, 2, 2, 2}, 99.0F);
    const Buffer buffer(640, Bytes(640, 0x5A).data());
    const Tensor mask({{1, 2, 4, 64}, ACL_INT8, ACL_FORMAT_ND, {}, offset}, buffer.address());
    const Outcome outcome = pool(self.tensor, overlapping, out.tensor, mask, stream);
    ASSERT_TRUE(outcome.succeeded()) << outcome;
    Bytes expected(640, 0x5A);
    put(expected, static_cast<std::size_t>(offset), {1, 1, 6, 7, 0, 2, 4, 4});
    Bytes found(640);
    buffer.download(found.data());
    EXPECT_EQ(found, expected);

    const Values<float> grad({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Values<float> result({1, 2, 3, 3}, 99.0F);
    const Outcome back = pool_backward(grad.tensor, self.tensor, mask, overlapping, result.tensor, stream);
    ASSERT_TRUE(back.succeeded()) << back;
    EXPECT_EQ(result.read(), (std::vector<float>{0, 3, 0, 0, 0, 0, 3, 4, 0, 5, 0, 6, 0, 15, 0, 0, 0, 0}));
  }
}

TEST_F(MaxPool2dWithMask, SetsTheOldBitsOfSingleTaps) {
  const Window single{{1, 1}, {2, 2}};
  std::vector<float> ramp(17 * 25);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i);
  const Values<float> planes({1, 17, 5, 5}, ramp);
  const Values<float> out({1, 17, 3, 3}, 99.0F);
  const Values<std::int8_t> mask({1, 17, 1, 64}, std::int8_t{0});
  const Outcome outcome = pool(planes.tensor, single, out.tensor, mask.tensor, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  Bytes expected(17 * 64, 0);
  std::fill_n(expected.begin(), 32, -1);
  std::fill_n(expected.begin() + 64, 32, -1);
  EXPECT_EQ(mask.read(), expected);
  EXPECT_EQ(out.read()[9 + 4], 25 + 12.0F);

  // The backward does not read it.
  const Values<std::int8_t> zeros({1, 17, 1, 64}, std::int8_t{0});
  const Values<float> ones({1, 17, 3, 3}, 1.0F);
  const Values<float> result({1, 17, 5, 5}, 99.0F);
  const Outcome back = pool_backward(ones.tensor, planes.tensor, zeros.tensor, single, result.tensor, stream);
  ASSERT_TRUE(back.succeeded()) << back;
  const std::vector<float> found = result.read();
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i], i % 25 / 5 % 2 == 0 && i % 5 % 2 == 0 ? 1.0F : 0.0F) << i;
}

// What the vendor's program prints.
TEST_F(MaxPool2dWithMask, RunsTheForwardExample) {
  const Values<float> input({1, 1, 4, 3}, {0.0850F, -0.5147F, -0.0212F, -0.5654F, -0.3222F, 0.5847F, 1.7510F,
                                           0.9954F, 0.1842F, 0.8392F, 0.4835F, 0.9213F});
  const Values<float> out({1, 1, 2, 1}, 0.0F);
  const Values<std::int8_t> mask({1, 1, 4, 64}, std::int8_t{0});
  const Outcome outcome = pool(input.tensor, {{2, 2}, {2, 2}}, out.tensor, mask.tensor, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read(), (std::vector<float>{0.0850F, 1.7510F}));
  Bytes expected(256, 0);
  expected[4] = 6;
  EXPECT_EQ(mask.read(), expected);
}

TEST_F(MaxPool2dWithMask, RunsTheBackwardExample) {
  const Values<float> grad({1, 1, 2, 2}, {0.4757F, 0.1726F, 0.25F, -0.0F});
  const Values<float> input({1, 1, 4, 3}, 0.0F);
  Bytes bits(64, 0);
  std::fill_n(bits.begin(), 32, -1);
  const Values<std::int8_t> mask({1, 1, 1, 64}, bits);
  const Values<float> result({1, 1, 4, 3}, 99.0F);
  const Outcome outcome =
      pool_backward(grad.tensor, input.tensor, mask.tensor, {{1, 1}, {2, 2}}, result.tensor, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  const std::vector<float> found = result.read();
  EXPECT_EQ(found, (std::vector<float>{0.4757F, 0, 0.1726F, 0, 0, 0, 0.25F, 0, 0, 0, 0, 0}));
  EXPECT_FALSE(std::signbit(found[8]));  // +0.0 and -0.0 are +0.0
}

TEST_F(MaxPool2dWithMask, IsOfferedWhereTheVendorDoes) {
  struct {
    const char* product;
    aclnnStatus forward, backward;
  } const kProducts[] = {{"Ascend910B1", 0, 0},
                         {"Ascend950", 161002, 161002},
                         {"atlas-training", 0, 0},
                         {"atlas-inference", 0, 161002}};
  for (const auto& [product, forward, backward] : kProducts) {
    SCOPED_TRACE(product);
    const Values<float> out({1, 2, 2, 2}, 99.0F);
    const Values<std::int8_t> mask({1, 2, 4, 64}, std::int8_t{0});
    const Values<float> result({1, 2, 3, 3}, 99.0F);
    setenv("CAIRN_PRODUCT", product, 1);
    EXPECT_EQ(pool(self.tensor, overlapping, out.tensor, mask.tensor, stream).phase1, forward);
    EXPECT_EQ(pool_backward(out.tensor, self.tensor, mask.tensor, overlapping, result.tensor, stream).phase1,
              backward);
    unsetenv("CAIRN_PRODUCT");
  }
}

}  // namespace
}  // namespace api_test
