#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

// Integers, and floating-point numbers as the device computes them: a NaN that an operation makes is
// 0x7FFFFFFF. Plain C++ arithmetic gives other NaNs, so every NaN whose bits a kernel asks for counts as one
// of the device's. What kernels only copy they copy as integers, and that stays as it is.

#define CUDA_EMULATOR_MIN_MAX(Type, A, B)                                                             \
  constexpr Type min(A a, B b) {                                                                      \
    return static_cast<Type>(a) < static_cast<Type>(b) ? static_cast<Type>(a) : static_cast<Type>(b); \
  }                                                                                                   \
  constexpr Type max(A a, B b) {                                                                      \
    return static_cast<Type>(a) > static_cast<Type>(b) ? static_cast<Type>(a) : static_cast<Type>(b); \
  }
CUDA_EMULATOR_MIN_MAX(int, int, int)
CUDA_EMULATOR_MIN_MAX(unsigned, unsigned, unsigned)
CUDA_EMULATOR_MIN_MAX(unsigned, int, unsigned)
CUDA_EMULATOR_MIN_MAX(unsigned, unsigned, int)
CUDA_EMULATOR_MIN_MAX(long, long, long)
CUDA_EMULATOR_MIN_MAX(unsigned long, unsigned long, unsigned long)
CUDA_EMULATOR_MIN_MAX(unsigned long, long, unsigned long)
CUDA_EMULATOR_MIN_MAX(unsigned long, unsigned long, long)
CUDA_EMULATOR_MIN_MAX(long long, long long, long long)
CUDA_EMULATOR_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CUDA_EMULATOR_MIN_MAX(unsigned long long, long long, unsigned long long)
CUDA_EMULATOR_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef CUDA_EMULATOR_MIN_MAX
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline double min(double a, double b) { return std::fmin(a, b); }
inline double max(double a, double b) { return std::fmax(a, b); }

inline int __popc(unsigned bits) { return std::popcount(bits); }
// The place of the lowest bit that is set, from 1 on; 0 if none is.
inline int __ffs(int bits) { return bits == 0 ? 0 : std::countr_zero(static_cast<unsigned>(bits)) + 1; }
inline std::uint64_t __umul64hi(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(Wide{a} * b >> 64);
}
// Four of the eight bytes of `low` and `high`, as the digits of `which` say.
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned which) {
  const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i)
    result |= static_cast<unsigned>(bytes >> (which >> 4 * i & 7U) * 8 & 0xFFU) << 8 * i;
  return result;
}
// min(a + b, c), of a word or of each half of one.
inline unsigned __viaddmin_u32(unsigned a, unsigned b, unsigned c) { return min(a + b, c); }
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
  const unsigned low = min((a + b) & 0xFFFFU, c & 0xFFFFU);
  return min(((a >> 16) + (b >> 16)) & 0xFFFFU, c >> 16) << 16 | low;
}

namespace cuda_emulator {

inline constexpr std::uint32_t kNan = 0x7FFFFFFF;

// Rounded up or down already.
template <typename Integer>
Integer to_integer(float value) {
  using Limits = std::numeric_limits<Integer>;
  if (value != value) return sizeof(Integer) == 8 ? Limits::min() : Integer{0};
  if (value >= -static_cast<float>(Limits::min())) return Limits::max();
  return value <= static_cast<float>(Limits::min()) ? Limits::min() : static_cast<Integer>(value);
}

}  // namespace cuda_emulator

inline float __int_as_float(int bits) { return std::bit_cast<float>(bits); }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline double __longlong_as_double(long long bits) { return std::bit_cast<double>(bits); }
inline unsigned __float_as_uint(float value) {
  return value == value ? std::bit_cast<unsigned>(value) : cuda_emulator::kNan;
}
inline int __float_as_int(float value) { return static_cast<int>(__float_as_uint(value)); }

inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
// The sum, rounded up.
inline float __fadd_ru(float a, float b) {
  const double sum = static_cast<double>(a) + b;
  const double part = sum - a;
  const double rest = (a - (sum - part)) + (b - part);  // what the sum in double has lost
  const auto rounded = static_cast<float>(sum);
  if (!std::isfinite(a) || !std::isfinite(b)) return rounded;
  const double below = static_cast<double>(rounded) - sum;
  const bool is_less = below < 0 || (below == 0 && rest > 0);
  return is_less ? std::nextafter(rounded, std::numeric_limits<float>::infinity()) : rounded;
}
inline float __double2float_rn(double value) { return static_cast<float>(value); }
// Towards zero: what is too large becomes the largest number.
inline float __double2float_rz(double value) {
  const auto rounded = static_cast<float>(value);
  return std::fabs(static_cast<double>(rounded)) > std::fabs(value) ? std::nextafter(rounded, 0.0F) : rounded;
}
inline int __float2int_rd(float value) { return cuda_emulator::to_integer<int>(std::floor(value)); }
inline int __float2int_ru(float value) { return cuda_emulator::to_integer<int>(std::ceil(value)); }
inline long long __float2ll_rd(float value) {
  return cuda_emulator::to_integer<long long>(std::floor(value));
}
inline long long __float2ll_ru(float value) { return cuda_emulator::to_integer<long long>(std::ceil(value)); }
