#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/oracle.h"

// The oracle against results worked out by hand.
namespace reference {
namespace {

template <typename T>
View view_of(std::vector<T>& values, Type type, const Sizes& size, Sizes stride = {}) {
  if (stride == Sizes{}) {
    std::int64_t next = 1;
    for (std::size_t axis = 5; axis-- > 0;) {
      stride[axis] = next;
      next *= size[axis];
    }
  }
  return {reinterpret_cast<unsigned char*>(values.data()), type, size, stride};
}

TEST(Float16, WidensExactly) {
  EXPECT_EQ(float16_to_float(0x3c00), 1.0F);
  EXPECT_EQ(float16_to_float(0xc000), -2.0F);
  EXPECT_EQ(float16_to_float(0x7bff), 65504.0F);
  EXPECT_EQ(float16_to_float(0x0400), 0x1p-14F);
  EXPECT_EQ(float16_to_float(0x0001), 0x1p-24F);
  EXPECT_EQ(float16_to_float(0x83ff), -0x1.ff8p-15F);
  EXPECT_TRUE(std::signbit(float16_to_float(0x8000)));
  EXPECT_TRUE(std::isinf(float16_to_float(0x7c00)));
  EXPECT_TRUE(std::isnan(float16_to_float(0x7c01)));
}

TEST(Float16, RoundsToNearestEven) {
  EXPECT_EQ(float_to_float16(1.0F + 0x1p-11F), 0x3c00);             // a tie, down to even
  EXPECT_EQ(float_to_float16(1.0F + 0x1p-11F + 0x1p-23F), 0x3c01);  // just above it
  EXPECT_EQ(float_to_float16(1.0F + 3 * 0x1p-11F), 0x3c02);         // a tie, up to even
  EXPECT_EQ(float_to_float16(0x1.ffep0F), 0x4000);                  // carries into the exponent
  EXPECT_EQ(float_to_float16(65519.0F), 0x7bff);
  EXPECT_EQ(float_to_float16(65520.0F), 0x7c00);  // overflow is Inf, not the largest number
  EXPECT_EQ(float_to_float16(-1e30F), 0xfc00);
  EXPECT_EQ(float_to_float16(0x1p-25F), 0x0000);  // a tie with 0
  EXPECT_EQ(float_to_float16(0x1.000002p-25F), 0x0001);
  EXPECT_EQ(float_to_float16(-0x1.8p-24F), 0x8002);   // a tie between subnormals
  EXPECT_EQ(float_to_float16(0x1.ffcp-15F), 0x0400);  // the largest subnormals round into the normals
  EXPECT_EQ(float_to_float16(-0.0F), 0x8000);
  EXPECT_EQ(float_to_float16(0x1p-149F), 0x0000);
}

TEST(Float16, EveryValueSurvivesTheWayThroughFloat) {
  for (int bits = 0; bits <= 0xffff; ++bits) {
    const auto value = static_cast<std::uint16_t>(bits);
    if (is_nan(&value, Type::kFloat16)) {
      const std::uint16_t back = float_to_float16(float16_to_float(value));
      EXPECT_TRUE(is_nan(&back, Type::kFloat16));
    } else {
      EXPECT_EQ(float_to_float16(float16_to_float(value)), value);
    }
  }
}

TEST(Bf16, RoundsToNearestEven) {
  EXPECT_EQ(float_to_bf16(1.0F), 0x3f80);
  EXPECT_EQ(float_to_bf16(1.0F + 0x1p-8F), 0x3f80);
  EXPECT_EQ(float_to_bf16(1.0F + 3 * 0x1p-8F), 0x3f82);
  EXPECT_EQ(float_to_bf16(1.0F + 0x1p-8F + 0x1p-23F), 0x3f81);
  EXPECT_EQ(float_to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(float_to_bf16(-0x1p-133F), 0x8001);  // subnormals are kept
  EXPECT_EQ(float_to_bf16(-0.0F), 0x8000);
  // A NaN whose payload lies in the lost bits must not become Inf.
  EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(std::bit_cast<float>(0x7f800001U)))));
}

TEST(PooledSize, FollowsTheForward) {
  EXPECT_EQ(pooled_size(8, 2, 2, 0, 1, false), 4);
  EXPECT_EQ(pooled_size(112, 3, 2, 1, 1, false), 56);
  EXPECT_EQ(pooled_size(7, 2, 2, 0, 1, false), 3);
  EXPECT_EQ(pooled_size(7, 2, 2, 0, 1, true), 4);
  EXPECT_EQ(pooled_size(5, 3, 1, 0, 2, false), 1);
  EXPECT_EQ(pooled_size(5, 2, 3, 1, 1, true), 2);  // a third window would start in the right padding
  EXPECT_EQ(pooled_size(2, 3, 2, 0, 1, true), 1);  // the window is larger than the input
  EXPECT_EQ(pooled_size(2, 3, 2, 0, 1, false), 0);
  EXPECT_EQ(pooled_size(1, 5, 1, 0, 1, false), -3);
}

TEST(MaxPoolBackward, AddsEachGradientAtItsIndex) {
  // A 1x4x4 plane under 2x2 windows with stride 1: nine windows, (1,1) wins four of them.
  std::vector<float> grad{1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<std::int32_t> index{5, 5, 3, 5, 5, 7, 8, 14, 15};
  std::vector<float> result(16, -7.0F);
  const auto fault = max_pool_backward(view_of(grad, Type::kFloat, {1, 1, 1, 3, 3}),
                                       view_of(index, Type::kInt32, {1, 1, 1, 3, 3}),
                                       view_of(result, Type::kFloat, {1, 1, 1, 4, 4}), false);
  EXPECT_FALSE(fault.has_value());
  EXPECT_EQ(result, (std::vector<float>{0, 0, 0, 3, 0, 12, 0, 6, 7, 0, 0, 0, 0, 0, 8, 9}));
}

TEST(MaxPoolBackward, AddsInAscendingOrderInFloatAndRoundsOnce) {
  // In this order 2^24 swallows the first 1 and 2^24 + 2 stays; any other order gives another sum.
  std::vector<float> grad{0x1p24F, 1.0F, 2.0F};
  std::vector<std::int64_t> index{0, 0, 0};
  std::vector<float> result(1);
  max_pool_backward(view_of(grad, Type::kFloat, {1, 1, 1, 1, 3}),
                    view_of(index, Type::kInt64, {1, 1, 1, 1, 3}),
                    view_of(result, Type::kFloat, {1, 1, 1, 1, 1}), false);
  EXPECT_EQ(result[0], 0x1p24F + 2.0F);

  // 2048 + 1 + 1 is 2050 when rounded once; float16 sums would stick at 2048.
  std::vector<std::uint16_t> half_grad{0x6800, 0x3c00, 0x3c00};
  std::vector<std::uint16_t> half_result(1);
  max_pool_backward(view_of(half_grad, Type::kFloat16, {1, 1, 1, 1, 3}),
                    view_of(index, Type::kInt64, {1, 1, 1, 1, 3}),
                    view_of(half_result, Type::kFloat16, {1, 1, 1, 1, 1}), false);
  EXPECT_EQ(half_result[0], 0x6801);
}

TEST(MaxPoolBackward, StartsFromPositiveZero) {
  std::vector<float> grad{-0.0F};
  std::vector<std::int32_t> index{0};
  std::vector<float> result(1, 1.0F);
  max_pool_backward(view_of(grad, Type::kFloat, {1, 1, 1, 1, 1}),
                    view_of(index, Type::kInt32, {1, 1, 1, 1, 1}),
                    view_of(result, Type::kFloat, {1, 1, 1, 1, 1}), false);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(result[0]), 0U);
}

TEST(MaxPoolBackward, ReportsTheFirstFaultInTheProgramsOrder) {
  // Two channels of two cells; faults at (c=0, w=1) and (c=1, w=0). -1 is no fault.
  std::vector<float> grad{1, 2, 3, 4};
  std::vector<std::int32_t> index{-1, 4, -5, 1};
  std::vector<float> result(4);
  const View grad_view = view_of(grad, Type::kFloat, {1, 2, 1, 1, 2});
  const View index_view = view_of(index, Type::kInt32, {1, 2, 1, 1, 2});
  const View result_view = view_of(result, Type::kFloat, {1, 2, 1, 1, 2});
  EXPECT_EQ(max_pool_backward(grad_view, index_view, result_view, false), (Fault{1, 4, 2}));
  EXPECT_EQ(max_pool_backward(grad_view, index_view, result_view, true), (Fault{1, -5, 2}));
  EXPECT_EQ(result, (std::vector<float>{0, 0, 0, 4}));
}

TEST(MaxUnpoolBackward, CopiesFromItsOwnPlane) {
  std::vector<std::int16_t> grad{10, 11, 12, 13, 20, 21, 22, 23};
  std::vector<std::int64_t> index{3, 0, -1, 4};
  std::vector<std::int16_t> result(4, 99);
  const auto fault = max_unpool_backward(view_of(grad, Type::kInt16, {1, 2, 1, 2, 2}),
                                         view_of(index, Type::kInt64, {1, 2, 1, 1, 2}),
                                         view_of(result, Type::kInt16, {1, 2, 1, 1, 2}));
  EXPECT_EQ(result, (std::vector<std::int16_t>{13, 10, 0, 0}));
  EXPECT_EQ(fault, (Fault{3, 4, 4}));
}

TEST(MaxUnpoolBackward, ReadsThroughStrides) {
  // gradOutput is the transpose of rows 1 2 3 / 4 5 6; indices are one broadcast element.
  std::vector<std::int32_t> grad{1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> index{1};
  std::vector<std::int32_t> result(3);
  max_unpool_backward(view_of(grad, Type::kInt32, {1, 1, 1, 3, 2}, {6, 6, 6, 1, 3}),
                      view_of(index, Type::kInt64, {1, 1, 1, 1, 3}, {1, 1, 1, 1, 0}),
                      view_of(result, Type::kInt32, {1, 1, 1, 1, 3}));
  EXPECT_EQ(result, (std::vector<std::int32_t>{4, 4, 4}));
}

TEST(UpsampleScales, CountAllOrNone) {
  EXPECT_EQ(upsample_scales({2, 2, 2}, {4, 6, 8}, {2.5, 3.5, 4.5}), (std::array<float, 3>{2.5F, 3.5F, 4.5F}));
  const std::array<float, 3> from_sizes{2, 3, 4};
  EXPECT_EQ(upsample_scales({2, 2, 2}, {4, 6, 8}, {0, 0, 0}), from_sizes);
  EXPECT_EQ(upsample_scales({2, 2, 2}, {4, 6, 8}, {2.5, 0, 4.5}), from_sizes);
  EXPECT_EQ(upsample_scales({2, 2, 2}, {4, 6, 8}, {2.5, 3.5, std::nan("")}), from_sizes);
  EXPECT_EQ(upsample_scales({2, 2, 2}, {4, 6, 8}, {-1, 3.5, 4.5}), from_sizes);
  EXPECT_EQ(upsample_scales({2, 2, 2}, {4, 6, 8}, {1e-60, 3.5, 4.5}), from_sizes);  // 0 as a float
  EXPECT_EQ(upsample_scales({2, 2, 2}, {4, 6, 8}, {1e60, 3.5, 4.5}), from_sizes);   // Inf as a float
}

std::vector<std::int64_t> lows(std::int64_t in, std::int64_t out, float scale) {
  std::vector<std::int64_t> result;
  for (std::int64_t i = 0; i <= in; ++i) result.push_back(upsample_low(i, scale, out));
  return result;
}

TEST(UpsampleLow, FollowsTheRangeRule) {
  EXPECT_EQ(lows(4, 8, 1.5F), (std::vector<std::int64_t>{0, 2, 3, 5, 6}));  // outputs 6 and 7 are lost
  EXPECT_EQ(lows(4, 7, 3.0F), (std::vector<std::int64_t>{0, 3, 6, 7, 7}));
  EXPECT_EQ(lows(10, 4, 0.4F), (std::vector<std::int64_t>{0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4}));
  EXPECT_EQ(lows(2, 82, 41.0F), (std::vector<std::int64_t>{0, 41, 82}));
  EXPECT_EQ(lows(2, 5, 3e38F), (std::vector<std::int64_t>{0, 5, 5}));
}

TEST(UpsampleNearestBackward, SumsTheBoxOfEachCell) {
  // 1 ... 32 in four planes of 2x2x2 onto single cells.
  std::vector<float> grad(32);
  for (std::size_t i = 0; i < grad.size(); ++i) grad[i] = static_cast<float>(i + 1);
  std::vector<float> result(4, 2.0F);
  upsample_nearest_backward(view_of(grad, Type::kFloat, {2, 2, 2, 2, 2}),
                            view_of(result, Type::kFloat, {2, 2, 1, 1, 1}), {2, 2, 2});
  EXPECT_EQ(result, (std::vector<float>{36, 100, 164, 228}));
}

TEST(UpsampleNearestBackward, LeavesZeroWhereNothingFalls) {
  std::vector<double> grad{1, 2, 4, 8};
  std::vector<double> result(10, 5.0);
  upsample_nearest_backward(view_of(grad, Type::kDouble, {1, 1, 1, 1, 4}),
                            view_of(result, Type::kDouble, {1, 1, 1, 1, 10}), {1, 1, 0.4F});
  EXPECT_EQ(result, (std::vector<double>{1, 0, 2, 0, 0, 4, 0, 8, 0, 0}));
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Pooled {
  std::vector<float> values;
  std::vector<std::int32_t> indices;
};

// A plane of one row under windows along it.
Pooled pool_row(std::vector<float> row, const Window& window, std::int64_t cells) {
  Pooled result{std::vector<float>(static_cast<std::size_t>(cells), 99.0F),
                std::vector<std::int32_t>(static_cast<std::size_t>(cells), 99)};
  const auto length = static_cast<std::int64_t>(row.size());
  const View indices = view_of(result.indices, Type::kInt32, {1, 1, 1, 1, cells});
  max_pool(view_of(row, Type::kFloat, {1, 1, 1, 1, length}), window,
           view_of(result.values, Type::kFloat, {1, 1, 1, 1, cells}), &indices);
  return result;
}

Window along_the_row(std::int64_t kernel, std::int64_t stride, std::int64_t padding, std::int64_t dilation) {
  return {{1, 1, kernel}, {1, 1, stride}, {0, 0, padding}, {1, 1, dilation}};
}

TEST(MaxPool, TakesTheLargestTapAndItsPositionInThePlane) {
  // Two planes of 2x2x3 under windows of 2x1x2 with stride 1.
  std::vector<float> self{1, 7, 3, 9, 5, 6, 2, 8, 4, 0, 5, 7, /**/ 5, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 5};
  std::vector<float> values(8);
  std::vector<std::int64_t> indices(8);
  const View places = view_of(indices, Type::kInt64, {1, 2, 1, 2, 2});
  max_pool(view_of(self, Type::kFloat, {1, 2, 2, 2, 3}), {{2, 1, 2}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}},
           view_of(values, Type::kFloat, {1, 2, 1, 2, 2}), &places);
  EXPECT_EQ(values, (std::vector<float>{8, 8, 9, 7, 5, 4, 4, 5}));
  EXPECT_EQ(indices, (std::vector<std::int64_t>{7, 7, 3, 11, 0, 1, 10, 11}));
}

TEST(MaxPool, TakesTheFirstOfEquals) {
  const Pooled row = pool_row({2, 2, -0.0F, 0.0F, -kInfinity, -kInfinity}, along_the_row(2, 2, 0, 1), 3);
  EXPECT_EQ(row.indices, (std::vector<std::int32_t>{0, 2, 4}));
  EXPECT_TRUE(std::signbit(row.values[1]));  // -0.0 is no smaller than +0.0
  EXPECT_EQ(row.values[2], -kInfinity);
}

TEST(MaxPool, TakesTheLastNanWithItsBits) {
  const float first = std::bit_cast<float>(0x7fc00001U);
  const float last = std::bit_cast<float>(0xffc00002U);
  const Pooled row = pool_row({first, last, kInfinity}, along_the_row(3, 1, 0, 1), 1);
  EXPECT_EQ(row.indices[0], 1);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(row.values[0]), 0xffc00002U);
}

TEST(MaxPool, NeverTakesPadding) {
  const Pooled row = pool_row({-3, -4}, along_the_row(2, 1, 1, 1), 3);
  EXPECT_EQ(row.values, (std::vector<float>{-3, -3, -4}));
  EXPECT_EQ(row.indices, (std::vector<std::int32_t>{0, 0, 1}));
}

TEST(MaxPool, GivesMinusOneWhereNoTapLiesInThePlane) {
  // Taps at -1 and 4.
  const Pooled row = pool_row({1, 2, 3, 4}, along_the_row(2, 1, 1, 5), 1);
  EXPECT_EQ(row.values[0], -kInfinity);
  EXPECT_EQ(row.indices[0], -1);
}

TEST(MaxUnpool, WritesInAscendingOrderOverZeros) {
  std::vector<std::int16_t> self{1, 2, 3, 4, 5, 6};
  std::vector<std::int32_t> index{3, 0, 3, 1, -1, 4};
  std::vector<std::int16_t> result(8, 99);
  const auto fault =
      max_unpool(view_of(self, Type::kInt16, {1, 2, 1, 1, 3}), view_of(index, Type::kInt32, {1, 2, 1, 1, 3}),
                 view_of(result, Type::kInt16, {1, 2, 1, 2, 2}));
  EXPECT_EQ(result, (std::vector<std::int16_t>{2, 0, 0, 3, 0, 4, 0, 0}));
  EXPECT_EQ(fault, (Fault{5, 4, 4}));
}

TEST(UpsampleSteps, AreReciprocalsInDoubleOrRatiosOfSizes) {
  EXPECT_EQ(upsample_steps({6, 6, 6}, {26, 26, 26}, {26.0 / 6, 2, 4}),
            (std::array<float, 3>{static_cast<float>(6.0 / 26), 0.5F, 0.25F}));
  EXPECT_EQ(upsample_steps({2, 3, 5}, {4, 6, 4}, {2, 0, 2}), (std::array<float, 3>{0.5F, 0.5F, 1.25F}));
  EXPECT_EQ(upsample_steps({2, 3, 5}, {4, 6, 4}, {1e60, 2, 2}), (std::array<float, 3>{0.5F, 0.5F, 1.25F}));
  EXPECT_EQ(upsample_steps({2, 2, 2}, {4, 4, 4}, {1e-45, 2, 2})[0], std::numeric_limits<float>::max());
}

std::vector<std::int64_t> sources(std::int64_t in, std::int64_t out, float step) {
  std::vector<std::int64_t> result;
  for (std::int64_t o = 0; o < out; ++o) result.push_back(upsample_source(o, step, in));
  return result;
}

TEST(UpsampleSource, FollowsTheFloorRule) {
  EXPECT_EQ(sources(4, 8, 0.5F), (std::vector<std::int64_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(sources(5, 3, 5.0F / 3), (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(sources(2, 5, 0.9F), (std::vector<std::int64_t>{0, 0, 1, 1, 1}));  // never past the last
  EXPECT_EQ(sources(3, 3, 3e38F), (std::vector<std::int64_t>{0, 2, 2}));
  EXPECT_EQ(upsample_source(41, 2.0F / 82.0F, 2), 0);  // in exact numbers it would be 1
  EXPECT_EQ(upsample_source(13, static_cast<float>(1.0 / (26.0 / 6)), 6), 3);
}

TEST(UpsampleNearest, CopiesBits) {
  std::vector<std::uint8_t> self{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::uint8_t> values(16);
  upsample_nearest(view_of(self, Type::kUint8, {1, 1, 2, 2, 2}),
                   view_of(values, Type::kUint8, {1, 1, 4, 1, 4}), {0.5F, 2, 0.5F});
  EXPECT_EQ(values, (std::vector<std::uint8_t>{1, 1, 2, 2, 1, 1, 2, 2, 5, 5, 6, 6, 5, 5, 6, 6}));
}

// The bits of a sum of two gradients of max_pool_backward.
template <typename T>
T sum_of(Type type, T first, T second) {
  std::vector<T> grad_output{first, second};
  std::vector<std::int32_t> indices{0, 0};
  std::vector<T> grad_input(1);
  max_pool_backward(view_of(grad_output, type, {1, 1, 1, 1, 2}),
                    view_of(indices, Type::kInt32, {1, 1, 1, 1, 2}),
                    view_of(grad_input, type, {1, 1, 1, 1, 1}), false);
  return grad_input[0];
}

TEST(NanSums, AreTheQuietNanWithoutSignAndPayload) {
  for (const std::uint32_t nan : {0x7fc00000U, 0x7fc00001U, 0xffc00000U, 0x7f800001U, 0xff923456U}) {
    EXPECT_EQ(sum_of<std::uint32_t>(Type::kFloat, nan, 0x3f800000), 0x7fc00000U);
    EXPECT_EQ(sum_of<std::uint32_t>(Type::kFloat, 0xffffffff, nan), 0x7fc00000U);
  }
  EXPECT_EQ(sum_of<std::uint32_t>(Type::kFloat, 0x7f800000, 0xff800000), 0x7fc00000U);
  for (const std::uint16_t nan : {0x7e00, 0x7c01, 0xfe00, 0xffff, 0x7fff}) {
    EXPECT_EQ(sum_of<std::uint16_t>(Type::kFloat16, nan, 0), 0x7e00);
    EXPECT_EQ(sum_of<std::uint16_t>(Type::kFloat16, 0xfc01, nan), 0x7e00);
  }
  EXPECT_EQ(sum_of<std::uint16_t>(Type::kFloat16, 0xfc00, 0x7c00), 0x7e00);
  for (const std::uint16_t nan : {0x7fc0, 0x7f81, 0xffc0, 0xffff, 0x7fff}) {
    EXPECT_EQ(sum_of<std::uint16_t>(Type::kBf16, nan, 0), 0x7fc0);
    EXPECT_EQ(sum_of<std::uint16_t>(Type::kBf16, 0xff81, nan), 0x7fc0);
  }
  EXPECT_EQ(sum_of<std::uint16_t>(Type::kBf16, 0xff80, 0x7f80), 0x7fc0);

  std::vector<std::uint64_t> grad_out{0xfff8000000000001, 0x7ff0000000000001, 0x7ff0000000000000,
                                      0xfff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000};
  std::vector<std::uint64_t> grad_input(3);
  upsample_nearest_backward(view_of(grad_out, Type::kDouble, {1, 1, 1, 1, 6}),
                            view_of(grad_input, Type::kDouble, {1, 1, 1, 1, 3}), {1, 1, 2});
  EXPECT_EQ(grad_input,
            (std::vector<std::uint64_t>{0x7ff8000000000000, 0x7ff8000000000000, 0x7ff0000000000000}));
}

}  // namespace
}  // namespace reference
