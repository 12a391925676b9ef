#include <algorithm>
#include <cmath>
#include <numeric>

#include "api/upsample_calls.h"

// Nearest upsampling and its gradients where their results are easily got wrong. The numbers were computed
// apart, in float32.
namespace api_test {
namespace {

// 0, 1, 2 … : a copy then says where it comes from.
template <typename T>
std::vector<T> counted(std::size_t count, T first = 0) {
  std::vector<T> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

Dims line(std::size_t length) { return {1, 1, static_cast<std::int64_t>(length)}; }

class UpsampleNearest : public DeviceTest {
 protected:
  // The cells that the positions of a line take.
  template <typename Plan, typename... Scales>
  std::vector<float> cells(Plan* plan, Phase2 phase2, std::size_t in, std::size_t out, Scales... scales) {
    const Values<float> self(line(in), counted<float>(in));
    const Values<float> result(line(out), -1.0F);
    const Outcome outcome = upsample(plan, phase2, self.tensor, {static_cast<std::int64_t>(out)},
                                     result.tensor, stream, scales...);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    return result.read();
  }
  // The gradient of a line.
  template <typename T, typename Plan, typename... Scales>
  std::vector<T> gradient(Plan* plan, Phase2 phase2, std::size_t in, const std::vector<T>& gradient_of_out,
                          Scales... scales) {
    const Values<T> large(line(gradient_of_out.size()), gradient_of_out);
    const Values<T> small(line(in), T{99});
    const Outcome outcome =
        upsample_backward(plan, phase2, large.tensor, {static_cast<std::int64_t>(gradient_of_out.size())},
                          line(in), small.tensor, stream, scales...);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    return small.read();
  }
};

// Elements of any type as bits.
struct Bits {
  Bits(const Dims& dims, aclDataType type, const std::vector<std::uint64_t>& values)
      : count(values.size()),
        bytes(aclDataTypeSize(type)),
        buffer(count * bytes),
        tensor({dims, type}, buffer.address()) {
    std::vector<unsigned char> content(count * bytes);
    for (std::size_t i = 0; i < count; ++i) memcpy(&content[i * bytes], &values[i], bytes);
    buffer.upload(content.data());
  }
  std::vector<std::uint64_t> read() const {
    std::vector<unsigned char> content(count * bytes);
    buffer.download(content.data());
    std::vector<std::uint64_t> values(count);
    for (std::size_t i = 0; i < count; ++i) memcpy(&values[i], &content[i * bytes], bytes);
    return values;
  }

  std::size_t count;
  std::size_t bytes;
  Buffer buffer;
  Tensor tensor;
};

TEST_F(UpsampleNearest, PositionsAreFloatsForEveryType) {
  struct Type {
    aclDataType type;
    std::uint64_t one;
    std::uint64_t forty_one;
  };
  for (const Type& it : {Type{ACL_FLOAT, 0x3f800000, 0x42240000}, Type{ACL_FLOAT16, 0x3c00, 0x5120},
                         Type{ACL_BF16, 0x3f80, 0x4224},
                         Type{ACL_DOUBLE, 0x3ff0000000000000, 0x4044800000000000}, Type{ACL_UINT8, 1, 0}}) {
    const Bits self(line(2), it.type, {7, 9});
    const Bits out(line(82), it.type, std::vector<std::uint64_t>(82));
    EXPECT_TRUE(upsample(UPSAMPLE(Nearest1d), self.tensor, {82}, out.tensor, stream).succeeded());
    std::vector<std::uint64_t> expected(82, 9);
    std::fill_n(expected.begin(), 42, 7);  // in exact numbers 41
    EXPECT_EQ(out.read(), expected);
    if (it.type == ACL_UINT8) continue;
    const Bits gradient(line(82), it.type, std::vector<std::uint64_t>(82, it.one));
    const Bits result(line(2), it.type, {0, 0});
    EXPECT_TRUE(upsample_backward(UPSAMPLE(Nearest1dBackward), gradient.tensor, {82}, line(2), result.tensor,
                                  stream, 0.0)
                    .succeeded());
    EXPECT_EQ(result.read(), (std::vector<std::uint64_t>{it.forty_one, it.forty_one}));
  }
}

TEST_F(UpsampleNearest, ExactForwardAndBackwardDisagreeWhereFloatsDo) {
  std::vector<float> expected(41, 1);
  std::fill_n(expected.begin(), 21, 0.0F);
  EXPECT_EQ(cells(UPSAMPLE(NearestExact1d), 2, 41, 0.0), expected);
  EXPECT_EQ(gradient(UPSAMPLE(NearestExact1dBackward), 2, counted<float>(41, 1), 0.0),
            (std::vector<float>{210, 651}));
}

TEST_F(UpsampleNearest, ProductAndDifferenceAreRoundedApart) {
  EXPECT_EQ(gradient(UPSAMPLE(NearestExact1dBackward), 6, std::vector<float>{5}, 0.0),
            (std::vector<float>{0, 0, 0, 5, 0, 0}));  // fused, cell 2 would get it
  EXPECT_EQ(cells(UPSAMPLE(NearestExact1d), 6, 1, 0.0), std::vector<float>{3});
}

TEST_F(UpsampleNearest, AScaleThatDoesNotGiveTheSizeIsDropped) {
  for (const char* product : {"portable", "atlas-a2", "atlas-a3", "ascend950"}) {
    const OnProduct chosen(product);
    const Values<float> large({1, 1, 2}, {1, 4.1F});
    const Values<float> small({1, 1, 3}, 99.0F);
    EXPECT_TRUE(upsample_backward(UPSAMPLE(Nearest1dBackward), large.tensor, {2}, {1, 1, 3}, small.tensor,
                                  stream, 1.1)
                    .succeeded());
    EXPECT_EQ(small.read(), (std::vector<float>{1, 4.1F, 0}));  // with it 5.1, 0, 0
  }
}

TEST_F(UpsampleNearest, ScalesCountTogetherInNearest2dV2) {
  const Values<float> self({1, 1, 1, 5}, counted<float>(5));
  const Values<float> out({1, 1, 1, 6}, 99.0F);
  const auto with = [&](float scale_h) {
    EXPECT_TRUE(
        upsample(UPSAMPLE(Nearest2dV2), self.tensor, {1, 6}, out.tensor, stream, scale_h, 1.3F).succeeded());
    return out.read();
  };
  EXPECT_EQ(with(0), (std::vector<float>{0, 0, 1, 2, 3, 4}));
  EXPECT_EQ(with(1), (std::vector<float>{0, 0, 1, 2, 3, 3}));
}

TEST_F(UpsampleNearest, ScalesCountAloneInNearest2dBackward) {
  const Values<float> large({1, 1, 6, 6}, 1.0F);
  const Values<float> small({1, 1, 5, 5}, 99.0F);
  EXPECT_TRUE(upsample_backward(UPSAMPLE(Nearest2dBackward), large.tensor, {6, 6}, {1, 1, 5, 5}, small.tensor,
                                stream, 0.0, 1.3)
                  .succeeded());
  EXPECT_EQ(small.read(),
            (std::vector<float>{4, 2, 2, 4, 0, 2, 1, 1, 2, 0, 2, 1, 1, 2, 0, 2, 1, 1, 2, 0, 2, 1, 1, 2, 0}));
}

TEST_F(UpsampleNearest, TheFloatScaleIsTakenAsItIs) {
  const std::vector<float> narrow = cells(UPSAMPLE(Nearest1dV2), 87, 191, 2.2F);
  EXPECT_EQ((std::vector<float>{narrow[33], narrow[66], narrow[121], narrow[132]}),
            (std::vector<float>{14, 29, 54, 59}));
  // 2.2 as a double leads one further.
  const Values<float> self({1, 1, 1, 1, 87}, counted<float>(87));
  const Values<float> out({1, 1, 1, 1, 191}, 99.0F);
  EXPECT_TRUE(
      upsample(UPSAMPLE(Nearest3d), self.tensor, {1, 1, 191}, out.tensor, stream, 1.0, 1.0, 2.2).succeeded());
  const std::vector<float> wide = out.read();
  EXPECT_EQ((std::vector<float>{wide[33], wide[66], wide[121], wide[132]}),
            (std::vector<float>{15, 30, 55, 60}));
}

TEST_F(UpsampleNearest, EqualAndDoubledSizesAreNoShortcut) {
  EXPECT_EQ(cells(UPSAMPLE(Nearest1dV2), 7, 7, 1.1F), (std::vector<float>{0, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(cells(UPSAMPLE(NearestExact1d), 7, 7, 1.1), (std::vector<float>{0, 1, 2, 3, 4, 5, 5}));
  // 1.1 gives the size, 7.7 → 7, so it counts.
  EXPECT_EQ(gradient(UPSAMPLE(Nearest1dBackward), 7, counted<float>(7, 1), 1.1),
            (std::vector<float>{3, 3, 4, 5, 6, 7, 0}));
  EXPECT_EQ(gradient(UPSAMPLE(NearestExact1dBackward), 7, counted<float>(7, 1), 1.1),
            (std::vector<float>{1, 2, 3, 4, 5, 13, 0}));
  const Values<float> self({1, 1, 1, 4}, counted<float>(4));
  const Values<float> out({1, 1, 1, 8}, 99.0F);
  EXPECT_TRUE(
      upsample(UPSAMPLE(Nearest2dV2), self.tensor, {1, 8}, out.tensor, stream, 1.0F, 2.1F).succeeded());
  EXPECT_EQ(out.read(), (std::vector<float>{0, 0, 0, 1, 1, 2, 2, 3}));
}

TEST_F(UpsampleNearest, SumsRunInOneOrderAndAreRoundedOnce) {
  const Values<float> large({1, 1, 2, 2}, {16777216, 1, 1, 1});
  const Values<float> small({1, 1, 1, 1}, 99.0F);
  EXPECT_TRUE(upsample_backward(UPSAMPLE(NearestExact2dBackward), large.tensor, {2, 2}, {1, 1, 1, 1},
                                small.tensor, stream, 0.0, 0.0)
                  .succeeded());
  EXPECT_EQ(small.read()[0], 16777216);
  const Bits halves({1, 1, 1, 3}, ACL_BF16, {0x4380, 0x3f80, 0x3f80});  // 256, 1, 1
  const Bits sum({1, 1, 1, 1}, ACL_BF16, {0});
  EXPECT_TRUE(upsample_backward(UPSAMPLE(NearestExact2dBackward), halves.tensor, {1, 3}, {1, 1, 1, 1},
                                sum.tensor, stream, 0.0, 0.0)
                  .succeeded());
  EXPECT_EQ(sum.read()[0], 0x4381);  // 258
}

TEST_F(UpsampleNearest, PastTwoTo23EqualSizesAreNoCopy) {
  constexpr std::size_t kLength = 8388612;
  std::vector<std::uint8_t> content(kLength);
  for (std::size_t i = 0; i < kLength; ++i) content[i] = static_cast<std::uint8_t>(i % 256);
  const Values<std::uint8_t> self(line(kLength), content);
  const Values<std::uint8_t> out(line(kLength), std::uint8_t{99});
  EXPECT_TRUE(
      upsample(UPSAMPLE(NearestExact1d), self.tensor, {kLength}, out.tensor, stream, 0.0).succeeded());
  const std::vector<std::uint8_t> result = out.read();
  const std::size_t expected[] = {8388606, 8388607, 8388608, 8388610, 8388610, 8388611};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(result[8388606 + i], expected[i] % 256) << i;
  EXPECT_TRUE(std::equal(result.begin(), result.begin() + 8388606, content.begin()));
}

TEST_F(UpsampleNearest, Shrinking) {
  EXPECT_EQ(cells(UPSAMPLE(NearestExact1d), 10, 4, 0.0), (std::vector<float>{1, 3, 6, 8}));
  EXPECT_EQ(gradient(UPSAMPLE(NearestExact1dBackward), 10, counted<float>(4, 1), 0.0),
            (std::vector<float>{0, 1, 0, 2, 0, 0, 3, 0, 4, 0}));
  EXPECT_EQ(cells(UPSAMPLE(Nearest1d), 10, 4), (std::vector<float>{0, 2, 5, 7}));
  EXPECT_EQ(gradient(UPSAMPLE(Nearest1dBackward), 10, counted<float>(4, 1), 0.0),
            (std::vector<float>{1, 0, 2, 0, 0, 3, 0, 4, 0, 0}));
}

TEST_F(UpsampleNearest, InfiniteSteps) {
  EXPECT_EQ(cells(UPSAMPLE(Nearest1dV2), 4, 5, 1e-45F), (std::vector<float>{0, 3, 3, 3, 3}));
  EXPECT_EQ(cells(UPSAMPLE(NearestExact1d), 4, 5, 1e-45), (std::vector<float>{3, 3, 3, 3, 3}));
  EXPECT_EQ(cells(UPSAMPLE(NearestExact1d), 4, 5, 1e-60), (std::vector<float>{0, 1, 2, 2, 3}));
}

// A small scale leaves the one position of an axis out, however trivial the axis looks.
TEST_F(UpsampleNearest, OneCellMayGetNothing) {
  EXPECT_EQ(gradient(UPSAMPLE(NearestExact1dBackward), 1, std::vector<float>{5}, 0.3), std::vector<float>{0});
  EXPECT_EQ(gradient(UPSAMPLE(NearestExact1dBackward), 1, std::vector<float>{5}, 0.6), std::vector<float>{5});
  const Values<float> large({1, 1, 4, 1}, {1, 2, 3, 4});
  const Values<float> small({1, 1, 2, 1}, 99.0F);
  EXPECT_TRUE(upsample_backward(UPSAMPLE(NearestExact2dBackward), large.tensor, {4, 1}, {1, 1, 2, 1},
                                small.tensor, stream, 2.0, 0.5)
                  .succeeded());
  EXPECT_EQ(small.read(), (std::vector<float>{0, 0}));
}

TEST_F(UpsampleNearest, InputSizeInTheOrderOfChannelsLast) {
  const Values<float> large({1, 20, 40, 1}, counted<float>(800));
  const Values<float> small({1, 10, 20, 1}, 99.0F);
  TensorSpec spec = large.spec;
  spec.format = ACL_FORMAT_NHWC;
  const Tensor gradient_tensor(spec, large.buffer.address());
  spec.dims = small.spec.dims;
  const Tensor result_tensor(spec, small.buffer.address());
  for (const Dims& input_size : {Dims{1, 10, 20, 1}, Dims{1, 1, 10, 20}}) {
    const Outcome outcome = upsample_backward(UPSAMPLE(Nearest2dBackward), gradient_tensor, {20, 40},
                                              input_size, result_tensor, stream, 2.0, 2.0);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    const std::vector<float> result = small.read();
    for (std::size_t i = 0; i < 200; ++i) {
      const auto first = static_cast<float>(i / 20 * 80 + i % 20 * 2);
      EXPECT_EQ(result[i], 4 * first + 1 + 40 + 41) << i;
    }
  }
}

}  // namespace
}  // namespace api_test
