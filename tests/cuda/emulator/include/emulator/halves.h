#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "emulator/numbers.h"

// Floating-point numbers of 16 bits, and pairs of them.
namespace cuda_emulator {

// `Mantissa` bits stand behind the point. A NaN that an operation makes has all bits set but the sign.
template <int Mantissa>
struct Half {
  static constexpr int kMantissa = Mantissa;
  static constexpr int kBias = (1 << (14 - Mantissa)) - 1;
  static constexpr unsigned kInfinity = 0x7FFFU >> Mantissa << Mantissa;
  static constexpr std::uint16_t kNan = 0x7FFF;

  std::uint16_t bits;
};

template <int Mantissa>
float widen(Half<Mantissa> half) {
  const unsigned magnitude = half.bits & 0x7FFFU;
  if (magnitude > Half<Mantissa>::kInfinity) return std::bit_cast<float>(cuda_emulator::kNan);
  const int exponent = static_cast<int>(magnitude >> Mantissa);
  const auto digits = static_cast<float>(magnitude & ((1U << Mantissa) - 1));
  float value = INFINITY;
  if (magnitude != Half<Mantissa>::kInfinity) {
    const bool is_small = exponent == 0;
    const float whole = is_small ? digits : digits + static_cast<float>(1U << Mantissa);
    value = std::ldexp(whole, (is_small ? 1 : exponent) - Half<Mantissa>::kBias - Mantissa);
  }
  return (half.bits >> 15) != 0 ? -value : value;
}

// To nearest, ties to even.
template <int Mantissa>
Half<Mantissa> narrow(double value) {
  using Result = Half<Mantissa>;
  if (value != value) return {Result::kNan};
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<unsigned>(bits >> 63) << 15;
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  const int smallest = 1 - Result::kBias;
  int shift = 52 - Mantissa;
  if (exponent < smallest) shift += smallest - exponent;
  unsigned magnitude = 0;
  if (exponent > Result::kBias) {
    magnitude = Result::kInfinity;
  } else if (shift <= 54) {
    const std::uint64_t digits = (bits & ((std::uint64_t{1} << 52) - 1)) | std::uint64_t{1} << 52;
    const std::uint64_t rest = digits & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t tie = std::uint64_t{1} << (shift - 1);
    magnitude = static_cast<unsigned>(digits >> shift);
    if (rest > tie || (rest == tie && magnitude % 2 != 0)) ++magnitude;
    // The first digit adds one to the exponent.
    if (exponent >= smallest) magnitude += static_cast<unsigned>(exponent - smallest) << Mantissa;
  }
  return {static_cast<std::uint16_t>(sign | magnitude)};
}

// a * b + c, rounded once: the sum is rounded to odd in double, which no later rounding takes for a tie.
template <int Mantissa>
Half<Mantissa> multiply_add(Half<Mantissa> a, Half<Mantissa> b, Half<Mantissa> c) {
  const double product = static_cast<double>(widen(a)) * widen(b);
  const double addend = widen(c);
  double sum = product + addend;
  if (std::isfinite(sum)) {
    const double part = sum - product;
    const double rest = (product - (sum - part)) + (addend - part);
    const auto bits = std::bit_cast<std::uint64_t>(sum);
    if (rest != 0 && bits % 2 == 0)
      sum = std::bit_cast<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
  }
  return narrow<Mantissa>(sum);
}

template <int Mantissa>
struct alignas(4) Halves {
  Half<Mantissa> x, y;
};

// All bits of a half are set where it is so.
template <int Mantissa, typename Is>
unsigned mask(Halves<Mantissa> a, Halves<Mantissa> b, const Is& is) {
  return (is(widen(a.x), widen(b.x)) ? 0xFFFFU : 0U) | (is(widen(a.y), widen(b.y)) ? 0xFFFF0000U : 0U);
}

// -0 is less than +0.
template <int Mantissa>
bool is_less(Half<Mantissa> a, Half<Mantissa> b) {
  const float low = widen(a), high = widen(b);
  return low < high || (low == high && (a.bits >> 15) > (b.bits >> 15));
}

}  // namespace cuda_emulator

template <int Mantissa>
unsigned __hgt2_mask(cuda_emulator::Halves<Mantissa> a, cuda_emulator::Halves<Mantissa> b) {
  return cuda_emulator::mask(a, b, [](float one, float other) { return one > other; });
}
template <int Mantissa>
unsigned __heq2_mask(cuda_emulator::Halves<Mantissa> a, cuda_emulator::Halves<Mantissa> b) {
  return cuda_emulator::mask(a, b, [](float one, float other) { return one == other; });
}
// Not equal, or no numbers.
template <int Mantissa>
unsigned __hneu2_mask(cuda_emulator::Halves<Mantissa> a, cuda_emulator::Halves<Mantissa> b) {
  return ~__heq2_mask(a, b);
}
template <int Mantissa>
bool __hgt(cuda_emulator::Half<Mantissa> a, cuda_emulator::Half<Mantissa> b) {
  return widen(a) > widen(b);
}
template <int Mantissa>
cuda_emulator::Half<Mantissa> __hmax_nan(cuda_emulator::Half<Mantissa> a, cuda_emulator::Half<Mantissa> b) {
  if (std::isnan(widen(a)) || std::isnan(widen(b))) return {cuda_emulator::Half<Mantissa>::kNan};
  return is_less(a, b) ? b : a;
}
// The number where only one is one.
template <int Mantissa>
cuda_emulator::Half<Mantissa> __hmin(cuda_emulator::Half<Mantissa> a, cuda_emulator::Half<Mantissa> b) {
  if (std::isnan(widen(a)))
    return std::isnan(widen(b)) ? cuda_emulator::Half<Mantissa>{cuda_emulator::Half<Mantissa>::kNan} : b;
  return std::isnan(widen(b)) || is_less(a, b) ? a : b;
}
template <int Mantissa>
cuda_emulator::Halves<Mantissa> __hmax2_nan(cuda_emulator::Halves<Mantissa> a,
                                            cuda_emulator::Halves<Mantissa> b) {
  return {__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)};
}
template <int Mantissa>
cuda_emulator::Halves<Mantissa> __hmin2(cuda_emulator::Halves<Mantissa> a,
                                        cuda_emulator::Halves<Mantissa> b) {
  return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
}
template <int Mantissa>
cuda_emulator::Halves<Mantissa> __hfma2(cuda_emulator::Halves<Mantissa> a, cuda_emulator::Halves<Mantissa> b,
                                        cuda_emulator::Halves<Mantissa> c) {
  return {multiply_add(a.x, b.x, c.x), multiply_add(a.y, b.y, c.y)};
}
