#include "ops/kit/cpu/cast.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "conformance/case.h"
#include "reference/convert.h"

// Storing elements as another type: the oracle against numbers worked out by hand, and the kernels' own code
// against the oracle.
namespace {

using reference::Random;
using reference::Type;
using reference::Values;

template <typename To, typename From>
To converted(From value, Type from, Type to) {
  To result{};
  reference::convert(&value, from, &result, to);
  return result;
}

std::uint16_t half(double value) { return converted<std::uint16_t>(value, Type::kDouble, Type::kFloat16); }
std::uint16_t bf16(double value) { return converted<std::uint16_t>(value, Type::kDouble, Type::kBf16); }

TEST(Convert, RoundsOnceToNearestEven) {
  EXPECT_EQ(half(1.0), 0x3c00);
  EXPECT_EQ(half(-0.0), 0x8000);
  EXPECT_EQ(half(1.0 + 0x1p-11), 0x3c00);
  EXPECT_EQ(half(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);  // a float would hide the last digit
  EXPECT_EQ(half(1.0 + 3 * 0x1p-11), 0x3c02);
  EXPECT_EQ(half(65519.99), 0x7bff);
  EXPECT_EQ(half(-65520.0), 0xfc00);
  EXPECT_EQ(half(0x1p-24), 0x0001);
  EXPECT_EQ(half(0x1p-25), 0x0000);
  EXPECT_EQ(half(0x1p-25 + 0x1p-70), 0x0001);
  EXPECT_EQ(half(0x1p-14 - 0x1p-26), 0x0400);  // up into the normal numbers
  EXPECT_EQ(half(1e-300), 0x0000);
  EXPECT_EQ(bf16(1.0 + 0x1p-8), 0x3f80);
  EXPECT_EQ(bf16(1.0 + 0x1p-8 + 0x1p-45), 0x3f81);
  EXPECT_EQ(bf16(std::numeric_limits<double>::max()), 0x7f80);
  EXPECT_EQ(bf16(0x1p-133), 0x0001);
  EXPECT_EQ(converted<float>(0x1p-149 * 0.75, Type::kDouble, Type::kFloat), 0x1p-149F);
  EXPECT_EQ(converted<double>(0x1p-149F, Type::kFloat, Type::kDouble), 0x1p-149);
}

TEST(Convert, RoundsIntegersOnce) {
  const auto to_half = [](std::int32_t v) {
    return converted<std::uint16_t>(v, Type::kInt32, Type::kFloat16);
  };
  EXPECT_EQ(to_half(2049), 0x6800);
  EXPECT_EQ(to_half(2051), 0x6802);
  EXPECT_EQ(to_half(-65519), 0xfbff);
  EXPECT_EQ(to_half(65520), 0x7c00);
  const std::int64_t tie = (std::int64_t{0x101} << 54);  // 9 digits: between two of BF16
  const auto to_bf16 = [](std::int64_t v) { return converted<std::uint16_t>(v, Type::kInt64, Type::kBf16); };
  EXPECT_EQ(to_bf16(tie), 0x5e80);
  EXPECT_EQ(to_bf16(tie + 1), 0x5e81);
  EXPECT_EQ(to_bf16(-tie - 1), 0xde81);
  EXPECT_EQ(to_bf16(std::numeric_limits<std::int64_t>::min()), 0xdf00);
  EXPECT_EQ(converted<float>((std::int64_t{1} << 60) + 1, Type::kInt64, Type::kFloat), 0x1p60F);
}

TEST(Convert, KeepsLowBitsAndTruth) {
  EXPECT_EQ(converted<std::int8_t>(std::int32_t{300}, Type::kInt32, Type::kInt8), 44);
  EXPECT_EQ(converted<std::uint8_t>(std::int16_t{-1}, Type::kInt16, Type::kUint8), 255);
  EXPECT_EQ(converted<std::int64_t>(std::uint8_t{200}, Type::kUint8, Type::kInt64), 200);
  for (const int byte : {1, 2, 255}) {
    const auto truth = static_cast<std::uint8_t>(byte);
    EXPECT_EQ(converted<float>(truth, Type::kBool, Type::kFloat), 1.0F);
    EXPECT_EQ(converted<std::int8_t>(truth, Type::kBool, Type::kInt8), 1);
    EXPECT_EQ(converted<std::uint8_t>(truth, Type::kBool, Type::kBool), byte);
  }
  EXPECT_EQ(converted<double>(std::uint8_t{0}, Type::kBool, Type::kDouble), 0.0);
}

TEST(Convert, MakesOneNanOfAllButCopies) {
  const std::uint32_t nan = 0xffa00001;
  EXPECT_EQ(converted<std::uint16_t>(nan, Type::kFloat, Type::kFloat16), 0x7e00);
  EXPECT_EQ(converted<std::uint16_t>(nan, Type::kFloat, Type::kBf16), 0x7fc0);
  EXPECT_EQ(converted<std::uint64_t>(nan, Type::kFloat, Type::kDouble), 0x7ff8000000000000);
  EXPECT_EQ(converted<std::uint32_t>(std::uint16_t{0xfe01}, Type::kFloat16, Type::kFloat), 0x7fc00000U);
  EXPECT_EQ(converted<std::uint32_t>(nan, Type::kFloat, Type::kFloat), nan);
}

class Cast : public testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(Cast, MeetsTheOracle) {
  const auto from = static_cast<Type>(std::get<0>(GetParam()));
  const auto to = static_cast<Type>(std::get<1>(GetParam()));
  if (from == Type::kUint16 || to == Type::kUint16)
    GTEST_SKIP() << "no operator stores UINT16 as another type";
  const auto from_kernel = conformance::to_kernel(from);
  const auto to_kernel = conformance::to_kernel(to);
  ASSERT_EQ(converts(from_kernel, to_kernel), is_conversion(from, to));
  if (!is_conversion(from, to)) return;
  Random random(reference::first_seed());
  for (const Values values : {Values::kAnyBits, Values::kSpecial, Values::kWide, Values::kNans}) {
    constexpr std::int64_t kCount = 5003;
    constexpr std::int64_t kStride = 3;
    const reference::Operand source(random, from, {1, 1, 1, 1, kCount}, reference::LayoutKind::kContiguous);
    reference::Operand found(random, to, {1, 1, 1, 1, kCount}, {{0, 0, 0, 0, kStride}, 0, kCount * kStride});
    const reference::Operand wanted = found.clone();
    fill_values(random, source.view(), values);
    for (std::int64_t i = 0; i < kCount; ++i)
      reference::convert(source.view().at(0, 0, 0, 0, i), from, wanted.view().at(0, 0, 0, 0, i), to);
    cairn::cast_row(from_kernel, source.view().origin, to_kernel, found.view().origin, kStride, kCount);
    EXPECT_EQ(difference(wanted, found), "") << name_of(from) << " to " << name_of(to);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Cast,
                         testing::Combine(testing::Range(0, static_cast<int>(Type::kBool) + 1),
                                          testing::Range(0, static_cast<int>(Type::kBool) + 1)));

}  // namespace
