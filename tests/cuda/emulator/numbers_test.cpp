#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cfenv>
#include <limits>

#include "ops/kit/cuda/multiply_wide.h"
#include "ops/kit/cuda/ptx.cuh"
#include "reference/number.h"
#include "reference/random.h"

// Each function against plain arithmetic.
namespace cuda_emulator {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr int kTrials = 20000;

template <int Mantissa>
Halves<Mantissa> pair_of(std::uint32_t word) {
  return std::bit_cast<Halves<Mantissa>>(word);
}
template <int Mantissa>
std::uint32_t word_of(Halves<Mantissa> pair) {
  return std::bit_cast<std::uint32_t>(pair);
}

// Bits of any kind: many exponents, and often ones that are special.
float any_float(reference::Random& random) {
  if (random.chance(20))
    return random.pick({0.0F, -0.0F, kInfinity, -kInfinity, 1.0F, 0x1p-149F, 65519.0F, 65520.0F});
  return std::bit_cast<float>(static_cast<std::uint32_t>(random.bits()));
}

template <typename Half>
void expect_conversions(Half (*narrow)(float), float (*widen)(Half), std::uint16_t (*right)(float),
                        float (*back)(std::uint16_t), unsigned infinity) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const float wide = widen(half);
    if ((bits & 0x7FFFU) > infinity) {
      EXPECT_EQ(std::bit_cast<unsigned>(wide), kNan);
      EXPECT_EQ(narrow(wide).bits, Half::kNan);
      continue;
    }
    EXPECT_EQ(std::bit_cast<unsigned>(wide), std::bit_cast<unsigned>(back(static_cast<std::uint16_t>(bits))));
    EXPECT_EQ(narrow(wide).bits, bits);
  }
  reference::Random random(1);
  for (int i = 0; i < kTrials * 10; ++i) {
    // Near a tie as often as anywhere.
    auto bits = static_cast<std::uint32_t>(random.bits());
    if (random.chance(50)) bits = (bits & 0xFFFFE000U) + random.pick({0x0FFFU, 0x1000U, 0x1001U, 0U});
    if (random.chance(30)) bits = (bits & 0xFFFF0000U) + random.pick({0x7FFFU, 0x8000U, 0x8001U, 0U});
    const auto value = std::bit_cast<float>(bits);
    if (value != value) continue;
    EXPECT_EQ(narrow(value).bits, right(value)) << value;
  }
}

TEST(Numbers, halves_are_rounded_once) {
  expect_conversions<__half>(&__float2half_rn, &__half2float, &reference::float_to_float16,
                             &reference::float16_to_float, 0x7C00);
  expect_conversions<__nv_bfloat16>(&__float2bfloat16_rn, &__bfloat162float, &reference::float_to_bf16,
                                    &reference::bf16_to_float, 0x7F80);
}

template <int Mantissa>
void expect_pairs() {
  reference::Random random(2);
  for (int i = 0; i < kTrials; ++i) {
    const auto a = pair_of<Mantissa>(static_cast<std::uint32_t>(random.bits()));
    const auto b = random.chance(20) ? a : pair_of<Mantissa>(static_cast<std::uint32_t>(random.bits()));
    const float x = widen(a.x), y = widen(a.y), other_x = widen(b.x), other_y = widen(b.y);
    const auto mask = [](bool low, bool high) { return (low ? 0xFFFFU : 0U) | (high ? 0xFFFF0000U : 0U); };
    EXPECT_EQ(__hgt2_mask(a, b), mask(x > other_x, y > other_y));
    EXPECT_EQ(__heq2_mask(a, b), mask(x == other_x, y == other_y));
    EXPECT_EQ(__hneu2_mask(a, b), mask(!(x == other_x), !(y == other_y)));
    EXPECT_EQ(__hgt(a.x, b.x), x > other_x);
    const auto most = __hmax2_nan(a, b);
    const auto least = __hmin2(a, b);
    if (x != x || other_x != other_x) {
      EXPECT_EQ(most.x.bits, 0x7FFF);
      EXPECT_EQ(least.x.bits, x == x ? a.x.bits : other_x == other_x ? b.x.bits : 0x7FFF);
    } else if (x != other_x) {
      EXPECT_EQ(most.x.bits, x > other_x ? a.x.bits : b.x.bits);
      EXPECT_EQ(least.x.bits, x < other_x ? a.x.bits : b.x.bits);
    }
  }
}

TEST(Numbers, pairs_of_halves_are_compared) {
  expect_pairs<10>();
  expect_pairs<7>();
  const auto zeros = pair_of<10>(0x80000000U);  // -0 above +0
  EXPECT_EQ(word_of(__hmax2_nan(zeros, pair_of<10>(0x00008000U))), 0U);
  EXPECT_EQ(word_of(__hmin2(zeros, pair_of<10>(0x00008000U))), 0x80008000U);
  EXPECT_EQ(__low2half(pair_of<10>(0x12345678U)).bits, 0x5678);
  EXPECT_EQ(__low2bfloat16(pair_of<7>(0x12345678U)).bits, 0x5678);
}

__extension__ using Wide = __int128;
// Every finite number of 16 bits is a multiple of 2^-24.
Wide fixed(__half half) {
  return static_cast<std::int64_t>(static_cast<double>(__half2float(half)) * 0x1p24);
}

// Whether the number with these bits is the nearest to exact * 2^-48, or the even one of the two nearest.
bool is_nearest(unsigned bits, Wide exact) {
  const auto distance = [&](unsigned of) {
    const Wide far = fixed({static_cast<std::uint16_t>(of)}) * (1 << 24) - exact;
    return far < 0 ? -far : far;
  };
  for (const unsigned neighbour : {bits - 1, bits + 1}) {
    if ((neighbour & 0x7FFFU) >= 0x7C00U || ((neighbour ^ bits) & 0x8000U) != 0) continue;
    if (distance(neighbour) < distance(bits)) return false;
    if (distance(neighbour) == distance(bits) && bits % 2 != 0) return false;
  }
  return true;
}

TEST(Numbers, a_product_and_a_sum_are_rounded_once) {
  reference::Random random(3);
  for (int i = 0; i < kTrials * 10; ++i) {
    const __half a{static_cast<std::uint16_t>(random.bits())};
    const __half b{static_cast<std::uint16_t>(random.bits())};
    const __half c{static_cast<std::uint16_t>(random.bits())};
    const unsigned found = __hfma2(__half2{a, a}, __half2{b, b}, __half2{c, c}).y.bits;
    const float sum = __half2float(a) * __half2float(b) + __half2float(c);
    if (!std::isfinite(sum)) {
      EXPECT_EQ(found, __float2half_rn(sum).bits);
      continue;
    }
    const Wide exact = fixed(a) * fixed(b) + fixed(c) * (1 << 24);
    constexpr Wide kTooLarge = Wide{65520} << 48;
    if (exact >= kTooLarge || exact <= -kTooLarge) {
      EXPECT_EQ(found, exact < 0 ? 0xFC00U : 0x7C00U);
    } else {
      EXPECT_TRUE(is_nearest(found, exact)) << a.bits << " * " << b.bits << " + " << c.bits << ": " << found;
    }
  }
}

TEST(Numbers, nans_are_the_devices) {
  const auto negative = std::bit_cast<float>(0xFFC00000U);  // what x86 makes of 0 / 0
  EXPECT_EQ(__float_as_int(negative), 0x7FFFFFFF);
  EXPECT_EQ(__float_as_uint(std::bit_cast<float>(0x7F800001U)), kNan);
  EXPECT_EQ(__float_as_uint(-0.0F), 0x80000000U);
  EXPECT_EQ(__float2half_rn(negative).bits, 0x7FFF);
  EXPECT_EQ(__half_as_short(__short_as_half(static_cast<short>(0xFE01))), static_cast<short>(0xFE01));
  EXPECT_EQ(__bfloat16_as_short(__short_as_bfloat16(0x1234)), 0x1234);
}

// What a function of volatile numbers gives with the processor rounding in another direction.
template <typename Of>
auto rounding(int direction, const Of& of) {
  std::fesetround(direction);
  const volatile auto result = of();  // not later
  std::fesetround(FE_TONEAREST);
  return result;
}

TEST(Numbers, floats_are_rounded_as_asked) {
  reference::Random random(4);
  for (int i = 0; i < kTrials; ++i) {
    const volatile float a = any_float(random);
    const volatile float b =
        random.chance(50) ? any_float(random) : a * static_cast<float>(random.between(-9, 9));
    const volatile double wide =
        random.chance(50) ? static_cast<double>(a) + 1e-9 * b : std::bit_cast<double>(random.bits());
    const float sum = rounding(FE_UPWARD, [&] { return a + b; });
    EXPECT_TRUE(__fadd_ru(a, b) == sum || sum != sum) << a << " + " << b;
    const float cut = rounding(FE_TOWARDZERO, [&] { return static_cast<float>(wide); });
    EXPECT_TRUE(__double2float_rz(wide) == cut || wide != wide) << wide;
  }
  EXPECT_EQ(__fmaf_rn(0x1.001p0F, 0x1.001p0F, -1.0F), 0x1.0008p-11F);
}

TEST(Numbers, integers_saturate) {
  EXPECT_EQ(__float2int_rd(-1.5F), -2);
  EXPECT_EQ(__float2int_ru(-1.5F), -1);
  EXPECT_EQ(__float2int_rd(1e30F), std::numeric_limits<int>::max());
  EXPECT_EQ(__float2int_ru(-kInfinity), std::numeric_limits<int>::min());
  EXPECT_EQ(__float2int_rd(kNaN), 0);
  EXPECT_EQ(__float2ll_rd(-0x1p40F - 0x1p20F), -(1LL << 40) - (1LL << 20));
  EXPECT_EQ(__float2ll_ru(0x1p63F), std::numeric_limits<long long>::max());
  EXPECT_EQ(__float2ll_ru(kNaN), std::numeric_limits<long long>::min());
}

TEST(Numbers, bits_and_bytes) {
  reference::Random random(5);
  for (int i = 0; i < kTrials; ++i) {
    const auto a = static_cast<std::uint32_t>(random.bits());
    const auto b = static_cast<std::uint32_t>(random.bits());
    const auto c = static_cast<std::uint32_t>(random.bits());
    const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
    unsigned picked = 0;
    for (int k = 0; k < 4; ++k) picked |= (bytes >> (c >> 4 * k & 7) * 8 & 0xFF) << 8 * k;
    EXPECT_EQ(__byte_perm(a, b, c), picked);
    EXPECT_EQ(cairn::cuda::multiply_wide(a, b), std::uint64_t{a} * b);
    EXPECT_EQ(__viaddmin_u32(a, b, c), std::min(a + b, c));
    const auto half = [&](int shift) {
      return std::min(((a >> shift) + (b >> shift)) & 0xFFFFU, (c >> shift) & 0xFFFFU);
    };
    EXPECT_EQ(__viaddmin_u16x2(a, b, c), half(16) << 16 | half(0));
  }
  EXPECT_EQ(__byte_perm(0x33221100U, 0x77665544U, 0x7531U), 0x77553311U);
  EXPECT_EQ(__umul64hi(~0ULL, ~0ULL), ~0ULL - 1);
  EXPECT_EQ(__popc(0xF00FU), 8);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(0x50), 5);
  EXPECT_EQ(min(-1, 2U), 2U);  // as unsigned numbers
  EXPECT_EQ(max(std::int64_t{-1}, std::int64_t{2}), 2);
}

TEST(Numbers, the_largest_or_a_nan) {
  using cairn::cuda::largest_or_nan;
  EXPECT_EQ(largest_or_nan(1.0F, 2.0F), 2.0F);
  EXPECT_FALSE(std::signbit(largest_or_nan(-0.0F, 0.0F)));
  EXPECT_FALSE(std::signbit(largest_or_nan(0.0F, -0.0F)));
  for (const float other : {1.0F, kInfinity, kNaN}) {
    EXPECT_EQ(std::bit_cast<unsigned>(largest_or_nan(-kNaN, other)), kNan);
    EXPECT_EQ(std::bit_cast<unsigned>(largest_or_nan(other, -kNaN)), kNan);
  }
}

TEST(Numbers, atomics) {
  unsigned at = 5;
  EXPECT_EQ(atomicInc(&at, 6), 5U);
  EXPECT_EQ(atomicInc(&at, 6), 6U);
  EXPECT_EQ(at, 0U);
  EXPECT_EQ(atomicAdd(&at, 7U), 0U);
  EXPECT_EQ(atomicMax(&at, 3U), 7U);
  EXPECT_EQ(atomicMax(&at, 12U), 7U);
  EXPECT_EQ(atomicAnd(&at, 6U), 12U);
  EXPECT_EQ(atomicOr(&at, 1U), 4U);
  EXPECT_EQ(atomicCAS(&at, 5U, 9U), 5U);
  EXPECT_EQ(atomicExch(&at, 1U), 9U);
  EXPECT_EQ(at, 1U);
}

}  // namespace
}  // namespace cuda_emulator
