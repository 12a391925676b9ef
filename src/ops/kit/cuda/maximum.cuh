#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

#include "ops/kit/cuda/element.cuh"

// The core of a maximum that remembers where it was found.
namespace cairn::cuda {

// Values are compared as words: one float, or two halves side by side. kLowest, the most negative finite
// number, stands for what is not there. suspect() keeps a NaN once it has met one, or an infinity: a product
// with 0 costs less than looking at the bits.
struct Float32 {
  using Bits = std::uint32_t;
  static constexpr int kLanes = 1;
  static constexpr Bits kMinusInfinity = 0xff800000U;
  static constexpr Bits kLowest = 0xff7fffffU;
  static constexpr std::uint32_t kEach = 1;  // the factor that puts a number into every lane
  __device__ static float to_float(Bits bits) { return __uint_as_float(bits); }
  __device__ static std::uint32_t suspect(std::uint32_t seen, std::uint32_t word) {
    return __float_as_uint(__fmaf_rn(to_float(word), 0.0F, to_float(seen)));
  }
  __device__ static std::uint32_t smallest(std::uint32_t a, std::uint32_t b) {
    return __float_as_uint(fminf(to_float(a), to_float(b)));
  }
  __device__ static bool is_nan(std::uint32_t word) { return isnan(to_float(word)); }
  __device__ static bool all_larger(std::uint32_t a, std::uint32_t b) { return to_float(a) > to_float(b); }
};

// Only for the definition's own words: nothing compares doubles in words.
struct Float64 {
  using Bits = std::uint64_t;
  static constexpr Bits kMinusInfinity = 0xfff0000000000000U;
  __device__ static double to_float(Bits bits) { return __longlong_as_double(static_cast<long long>(bits)); }
};

template <typename Half, typename Pair, std::uint16_t MinusInfinity>
struct Halves {
  using Bits = std::uint16_t;
  static constexpr int kLanes = 2;
  static constexpr Bits kMinusInfinity = MinusInfinity;
  static constexpr Bits kLowest = MinusInfinity - 1;
  static constexpr std::uint32_t kEach = 0x10001U;
  __device__ static Pair pair(std::uint32_t word) {
    Pair result;
    memcpy(&result, &word, sizeof(result));
    return result;
  }
  __device__ static std::uint32_t word(const Pair& from) {
    std::uint32_t result;
    memcpy(&result, &from, sizeof(result));
    return result;
  }
  __device__ static float to_float(Bits bits) {
    Half half;
    memcpy(&half, &bits, sizeof(half));
    return widen(half);
  }
  // All bits of a half are set where `a` is larger.
  __device__ static std::uint32_t larger(std::uint32_t a, std::uint32_t b) {
    return __hgt2_mask(pair(a), pair(b));
  }
  __device__ static std::uint32_t suspect(std::uint32_t seen, std::uint32_t from) {
    return word(__hfma2(pair(from), pair(0), pair(seen)));
  }
  __device__ static std::uint32_t smallest(std::uint32_t a, std::uint32_t b) {
    return word(__hmin2(pair(a), pair(b)));
  }
  __device__ static bool is_nan(std::uint32_t from) { return __hneu2_mask(pair(from), pair(from)) != 0; }
  __device__ static bool all_larger(std::uint32_t a, std::uint32_t b) { return larger(a, b) == ~0U; }
};
using Float16 = Halves<__half, __half2, 0xfc00>;
using Bfloat16 = Halves<__nv_bfloat16, __nv_bfloat162, 0xff80>;

template <typename T>
struct FormatOf;
template <>
struct FormatOf<float> {
  using Type = Float32;
};
template <>
struct FormatOf<__half> {
  using Type = Float16;
};
template <>
struct FormatOf<__nv_bfloat16> {
  using Type = Bfloat16;
};
template <>
struct FormatOf<double> {
  using Type = Float64;
};
template <typename T>
using Format = typename FormatOf<T>::Type;

// Nobody asks where the maximum was found.
template <typename Wanted>
struct ValuesOnly : Wanted {};
template <typename Format>
inline constexpr bool kFinds = true;
template <typename Wanted>
inline constexpr bool kFinds<ValuesOnly<Wanted>> = false;

// The best so far of the windows of a word, and which tap it is: its offset in the plane from the window's
// first one. Halves have the slab apart, to have room for both.
struct Best {
  std::uint32_t value;
  std::uint32_t offset;
  std::uint32_t slab;
};

__device__ inline std::uint32_t select(std::uint32_t mask, std::uint32_t a, std::uint32_t b) {
  return (a & mask) | (b & ~mask);
}

// A tap of the same slab that comes later takes over only if it is larger.
template <typename Format>
__device__ void take(Best& best, const Best& later) {
  if constexpr (Format::kLanes == 1) {
    const bool larger = Format::to_float(later.value) > Format::to_float(best.value);
    best.value = larger ? later.value : best.value;
    best.offset = larger ? later.offset : best.offset;
  } else {
    const std::uint32_t mask = Format::larger(later.value, best.value);
    best.value = select(mask, later.value, best.value);
    best.offset = select(mask, later.offset, best.offset);
  }
}

}  // namespace cairn::cuda
