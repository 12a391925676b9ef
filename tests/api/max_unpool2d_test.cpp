#include <gtest/gtest.h>

#include <cstdlib>

#include "aclnnop/aclnn_ops_nn.h"
#include "api/values.h"

// 2D unpooling and its gradient as a program uses them: the places that are easily got wrong.
namespace api_test {
namespace {

constexpr aclnnStatus kInvalid = 161002;

using Dims = std::vector<std::int64_t>;

Outcome unpool(const Tensor& self, const Tensor& indices, const Dims& output_size, const Tensor& out,
               aclrtStream stream) {
  const IntArray sizes(output_size);
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxUnpool2dGetWorkspaceSize(self, indices, sizes, out, size, executor);
      },
      aclnnMaxUnpool2d, stream);
}

Outcome unpool_backward(const Tensor& grad, const Tensor& self, const Tensor& indices,
                        const Dims& output_size, const Tensor& out, aclrtStream stream) {
  const IntArray sizes(output_size);
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxUnpool2dBackwardGetWorkspaceSize(grad, self, indices, sizes, out, size, executor);
      },
      aclnnMaxUnpool2dBackward, stream);
}

class MaxUnpool2d : public DeviceTest {
 protected:
  const Values<float> self{{1, 1, 2, 2}, {1, 2, 3, 4}};
  const Values<std::int64_t> indices{{1, 1, 2, 2}, {3, 8, 11, 13}};
};

TEST_F(MaxUnpool2d, PutsEachValueWhereItsIndexSays) {
  const Values<float> out({1, 1, 4, 4}, 99.0F);
  const Outcome outcome = unpool(self.tensor, indices.tensor, {4, 4}, out.tensor, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read(), (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 3, 0, 4, 0, 0}));
}

TEST_F(MaxUnpool2d, LetsTheLastOfDuplicatesWin) {
  const Values<std::int32_t> fives({1, 1, 2, 2}, 5);
  const Values<float> out({1, 1, 4, 4}, 99.0F);
  const Outcome outcome = unpool(self.tensor, fives.tensor, {4, 4}, out.tensor, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read(), (std::vector<float>{0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST_F(MaxUnpool2d, TakesAnEmptyBatchOnlyWithAnOutputOfThatBatch) {
  const Tensor nothing({{0, 1, 2, 2}}, nullptr);
  const Tensor nowhere({{0, 1, 2, 2}, ACL_INT64}, nullptr);
  const Tensor no_out({{0, 1, 4, 4}}, nullptr);
  const Values<float> out({1, 1, 4, 4}, 99.0F);
  EXPECT_TRUE(unpool(nothing, nowhere, {4, 4}, no_out, stream).succeeded());
  const Outcome refused = unpool(nothing, nowhere, {4, 4}, out.tensor, stream);
  EXPECT_EQ(refused.phase1, kInvalid);
  EXPECT_NE(refused.message.find("[out_batch]"), std::string::npos) << refused;
}

TEST_F(MaxUnpool2d, RefusesAPlaneWithFewerCellsThanSelf) {
  const Values<float> out({1, 1, 1, 3}, 99.0F);
  const Outcome refused = unpool(self.tensor, indices.tensor, {1, 3}, out.tensor, stream);
  EXPECT_EQ(refused.phase1, kInvalid);
  EXPECT_NE(refused.message.find("[output_size_holds_self]"), std::string::npos) << refused;
}

TEST_F(MaxUnpool2d, WritesAStridedOutputAndNothingBeside) {
  const Buffer buffer(sizeof(float) * 40, std::vector<float>(40, 99.0F).data());
  const Tensor out({{1, 1, 4, 4}, ACL_FLOAT, ACL_FORMAT_ND, {40, 40, 8, 2}, 3}, buffer.address());
  const Outcome outcome = unpool(self.tensor, indices.tensor, {4, 4}, out, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  std::vector<float> expected(40, 99.0F);
  for (std::size_t h = 0; h < 4; ++h)
    for (std::size_t w = 0; w < 4; ++w) expected[3 + 8 * h + 2 * w] = 0;
  expected[3 + 6] = 1;
  expected[3 + 16] = 2;
  expected[3 + 16 + 6] = 3;
  expected[3 + 24 + 2] = 4;
  std::vector<float> found(40);
  buffer.download(found.data());
  EXPECT_EQ(found, expected);
}

TEST_F(MaxUnpool2d, TakesBf16OnlyWhereNoProductIsChosen) {
  const Values<std::int16_t> bits({1, 1, 2, 2}, std::int16_t{0x3f80});
  const Tensor halves({{1, 1, 2, 2}, ACL_BF16}, bits.buffer.address());
  const Values<std::int16_t> out({1, 1, 4, 4}, std::int16_t{99});
  const Tensor out_halves({{1, 1, 4, 4}, ACL_BF16}, out.buffer.address());
  setenv("CAIRN_PRODUCT", "Ascend910B1", 1);
  const Outcome refused = unpool(halves, indices.tensor, {4, 4}, out_halves, stream);
  unsetenv("CAIRN_PRODUCT");
  EXPECT_EQ(refused.phase1, kInvalid);
  const Outcome outcome = unpool(halves, indices.tensor, {4, 4}, out_halves, stream);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read()[3], 0x3f80);
}

class MaxUnpool2dBackward : public DeviceTest {
 protected:
  // The gradient of one position, converted to another type.
  template <typename To, typename From>
  Outcome convert(From value, aclDataType from, aclDataType to, To& result) {
    const Buffer source(sizeof(From), &value);
    const Tensor grad({{1, 1, 1}, from}, source.address());
    const Tensor self({{1, 1, 1}, from}, nullptr);
    const Values<std::int64_t> indices({1, 1, 1}, std::int64_t{0});
    const Buffer destination(sizeof(To), &result);
    const Tensor out({{1, 1, 1}, to}, destination.address());
    const Outcome outcome = unpool_backward(grad, self, indices.tensor, {1, 1}, out, stream);
    destination.download(&result);
    return outcome;
  }
};

TEST_F(MaxUnpool2dBackward, RoundsFloatToFloat16ToNearestEven) {
  const Values<float> grad({1, 1, 4}, {1, 70000, -0.0F, 1 + 0x1p-11F});
  const Values<float> self({1, 2, 3}, 99.0F);
  const Values<std::int64_t> indices({1, 2, 3}, {3, 1, 2, 0, 0, 0});
  const Values<std::int16_t> bits({1, 2, 3}, std::int16_t{99});
  const Tensor out({{1, 2, 3}, ACL_FLOAT16}, bits.buffer.address());
  const Outcome outcome = unpool_backward(grad.tensor, self.tensor, indices.tensor, {1, 4}, out, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  constexpr std::int16_t kOne = 0x3c00;
  constexpr std::int16_t kInfinity = 0x7c00;
  constexpr auto kMinusZero = static_cast<std::int16_t>(0x8000);
  EXPECT_EQ(bits.read(), (std::vector<std::int16_t>{kOne, kInfinity, kMinusZero, kOne, kOne, kOne}));
}

TEST_F(MaxUnpool2dBackward, KeepsTheLowBitsOfAnInteger) {
  std::int8_t result = 99;
  const Outcome outcome = convert(std::int32_t{300}, ACL_INT32, ACL_INT8, result);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(result, 44);
}

TEST_F(MaxUnpool2dBackward, MakesBoolANumber) {
  float result = 99;
  const Outcome outcome = convert(std::uint8_t{1}, ACL_BOOL, ACL_FLOAT, result);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(result, 1.0F);
}

TEST_F(MaxUnpool2dBackward, ConvertsNoFloatToAnIntegerAndNoIntegerToBool) {
  std::int32_t integer = 99;
  std::uint8_t boolean = 99;
  for (const Outcome& refused : {convert(1.0F, ACL_FLOAT, ACL_INT32, integer),
                                 convert(std::int32_t{1}, ACL_INT32, ACL_BOOL, boolean)}) {
    EXPECT_EQ(refused.phase1, kInvalid);
    EXPECT_NE(refused.message.find("[out_type]"), std::string::npos) << refused;
  }
  EXPECT_EQ(integer, 99);
  EXPECT_EQ(boolean, 99);
}

// As the vendor's example has it: fewer cells in a plane of gradOutput than in one of self.
TEST_F(MaxUnpool2dBackward, GathersFromASmallerPlane) {
  const Values<float> grad({1, 3, 3, 1}, {0, 1, 2, 3, 4, 5, 6, 7, 8});
  const Values<float> self({1, 3, 2, 2}, 99.0F);
  const Values<std::int32_t> indices({1, 3, 2, 2}, {0, 1, 2, 1, 2, 0, 1, 1, 1, 0, 0, 0});
  const Values<float> out({1, 3, 2, 2}, 99.0F);
  const Outcome outcome =
      unpool_backward(grad.tensor, self.tensor, indices.tensor, {3, 1}, out.tensor, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read(), (std::vector<float>{0, 1, 2, 1, 5, 3, 4, 4, 7, 6, 6, 6}));
}

}  // namespace
}  // namespace api_test
