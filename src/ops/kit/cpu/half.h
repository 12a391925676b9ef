#pragma once

#include <bit>
#include <cstdint>

namespace cairn {

// Storage of the 16-bit floating-point types. Arithmetic happens in float; from_float rounds once, to nearest
// even, keeps subnormals and overflows to infinity. No instruction set changes a bit of it.
//
// It stores sums. Which of several NaNs a sum returns is up to the machine and the order of the operands,
// so every NaN is stored as the same one: quiet, positive, without a payload.
struct Float16 {
  std::uint16_t bits;
};
struct Bfloat16 {
  std::uint16_t bits;
};

// The bits of that NaN.
template <typename T>
inline constexpr std::uint16_t kNan = 0;
template <>
inline constexpr std::uint16_t kNan<Float16> = 0x7E00;
template <>
inline constexpr std::uint16_t kNan<Bfloat16> = 0x7FC0;
template <>
inline constexpr std::uint32_t kNan<float> = 0x7FC00000;
template <>
inline constexpr std::uint64_t kNan<double> = 0x7FF8000000000000;

inline float to_float(float value) { return value; }

inline float to_float(Bfloat16 value) { return std::bit_cast<float>(std::uint32_t{value.bits} << 16); }

inline float to_float(Float16 value) {
  const std::uint32_t sign = (value.bits & 0x8000u) << 16;
  const std::uint32_t magnitude = (value.bits & 0x7FFFu) << 13;
  std::uint32_t bits;
  if (magnitude < (0x0400u << 13)) {
    // With an implicit one in front and 2^-14 taken off again the float is never subnormal itself.
    bits = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude + (113u << 23)) - 0x1p-14f);
  } else {
    bits = magnitude + (112u << 23);
    if (magnitude >= (0x7C00u << 13)) bits += 112u << 23;
  }
  return std::bit_cast<float>(bits | sign);
}

template <typename T>
T from_float(float value);

template <>
inline float from_float<float>(float value) {
  return value == value ? value : std::bit_cast<float>(kNan<float>);
}

template <>
inline Bfloat16 from_float<Bfloat16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return {kNan<Bfloat16>};
  return {static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16)};
}

template <>
inline Float16 from_float<Float16>(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  std::uint32_t half;
  if (magnitude >= 0x47800000u) {  // 2^16
    if (magnitude > 0x7F800000u) return {kNan<Float16>};
    half = 0x7C00u;
  } else if (magnitude < 0x38800000u) {  // 2^-14
    // The last place of a float near 0.5 is 2^-24, that of a subnormal half: the addition rounds for us.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;
  } else {
    half = (magnitude - (112u << 23) + 0x0FFFu + (magnitude >> 13 & 1u)) >> 13;
  }
  return {static_cast<std::uint16_t>(half | (bits >> 16 & 0x8000u))};
}

}  // namespace cairn
