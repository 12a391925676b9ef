#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <cstring>

#include "ops/kit/cuda/ptx.cuh"

namespace cairn::cuda {

// Sums are made in float, or in double for double, and rounded once, to nearest even.
template <typename T>
struct SumOf {
  using Type = float;
};
template <>
struct SumOf<double> {
  using Type = double;
};
template <typename T>
using Sum = typename SumOf<T>::Type;

__device__ inline float widen(float value) { return value; }
__device__ inline double widen(double value) { return value; }
__device__ inline float widen(__half value) { return __half2float(value); }
__device__ inline float widen(__nv_bfloat16 value) { return __bfloat162float(value); }

// A sum as it is stored. A NaN becomes the one that the CPU stores too: quiet, positive, without a payload.
//
// What the device makes of NaNs in float, and in a conversion from it, is 0x7FFFFFFF and 0x7FFF. As integers
// these lie above all numbers of either sign, so a minimum is enough. Of 16 bits (min() would compute in 32)
// the compiler takes two at a time. Double keeps payloads, so it has to ask.
inline constexpr short kHalfNan = 0x7E00;
inline constexpr short kBfloat16Nan = 0x7FC0;
template <typename T>
__device__ T narrow(Sum<T> sum);
template <>
__device__ inline float narrow<float>(float sum) {
  return __int_as_float(min(__float_as_int(sum), 0x7FC00000));
}
template <>
__device__ inline double narrow<double>(double sum) {
  return sum == sum ? sum : __longlong_as_double(0x7FF8000000000000);
}
template <>
__device__ inline __half narrow<__half>(float sum) {
  const short bits = __half_as_short(__float2half_rn(sum));
  return __short_as_half(bits < kHalfNan ? bits : kHalfNan);
}
template <>
__device__ inline __nv_bfloat16 narrow<__nv_bfloat16>(float sum) {
  const short bits = __bfloat16_as_short(__float2bfloat16_rn(sum));
  return __short_as_bfloat16(bits < kBfloat16Nan ? bits : kBfloat16Nan);
}

// `Count` neighbours, moved by one instruction (two when they take 32 bytes).
template <typename T, int Count>
struct alignas(sizeof(T) * Count) Pack {
  T at[Count];
};

template <int Bytes>
struct WordsOf;
template <>
struct WordsOf<1> {
  using Type = unsigned char;
};
template <>
struct WordsOf<2> {
  using Type = unsigned short;
};
template <>
struct WordsOf<4> {
  using Type = unsigned int;
};
template <>
struct WordsOf<8> {
  using Type = uint2;
};
template <>
struct WordsOf<16> {
  using Type = uint4;
};
template <>
struct WordsOf<32> {
  struct alignas(32) Type {
    uint4 low, high;
  };
};

// Through plain words: the compiler moves a struct of 16-bit elements one by one.
template <typename T, int Count>
__device__ Pack<T, Count> load_pack(const T* from) {
  const auto words = *reinterpret_cast<const typename WordsOf<sizeof(T) * Count>::Type*>(from);
  Pack<T, Count> pack;
  memcpy(&pack, &words, sizeof(pack));
  return pack;
}
// A load that happens or not: ptx.cuh says where.
__device__ inline void load_words_if(bool there, const void* from, WordsOf<32>::Type& words) {
  load_words_if(there, from, words.low);
  load_words_if(there, static_cast<const char*>(from) + 16, words.high);
}

// `Otherwise` is the byte that fills the pack when it is not loaded.
template <typename T, int Count, int Otherwise = 0>
__device__ Pack<T, Count> load_pack_if(bool there, const T* from) {
  typename WordsOf<sizeof(T) * Count>::Type words;
  memset(&words, Otherwise, sizeof(words));
  load_words_if(there, from, words);
  Pack<T, Count> pack;
  memcpy(&pack, &words, sizeof(pack));
  return pack;
}
// The same with an element that fills the pack.
template <typename T, int Count>
__device__ Pack<T, Count> load_pack_or(T otherwise, bool there, const T* from) {
  Pack<T, Count> pack;
#pragma unroll
  for (int i = 0; i < Count; ++i) pack.at[i] = otherwise;
  typename WordsOf<sizeof(T) * Count>::Type words;
  memcpy(&words, &pack, sizeof(pack));
  load_words_if(there, from, words);
  memcpy(&pack, &words, sizeof(pack));
  return pack;
}
template <typename T, int Otherwise = 0>
__device__ T load_if(bool there, const T* from) {
  return load_pack_if<T, 1, Otherwise>(there, from).at[0];
}

template <typename T, int Count>
__device__ void store_pack(T* to, const Pack<T, Count>& pack) {
  typename WordsOf<sizeof(T) * Count>::Type words;
  memcpy(&words, &pack, sizeof(pack));
  *reinterpret_cast<decltype(words)*>(to) = words;
}

}  // namespace cairn::cuda
