#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "ops/kit/cuda/element.cuh"
#include "ops/kit/mean_axis.h"
#include "ops/kit/reciprocal.h"

namespace cairn::cuda {

// Whether any of some values is too small for the short way to divide: not zero, but below 2^-80. Zero less
// one is the largest number there is, so a minimum is enough. No FLOAT16 is that small.
template <typename T>
struct SmallValues {
  unsigned least = ~0U;

  template <int Count>
  __device__ void look_at(const Pack<T, Count>& pack) {
    if constexpr (std::is_same_v<T, __nv_bfloat16>) {
      unsigned words[(Count + 1) / 2] = {};
      memcpy(words, &pack, sizeof(pack));
#pragma unroll
      for (const unsigned word : words) least = __viaddmin_u16x2(word & 0x7FFF7FFFU, ~0U, least);
    } else if constexpr (std::is_same_v<T, float>) {
#pragma unroll
      for (const float value : pack.at)
        least = __viaddmin_u32(__float_as_uint(value) & 0x7FFFFFFFU, ~0U, least);
    }
  }
  __device__ bool any() const {
    constexpr unsigned kExponent = 127 - 80;
    if constexpr (std::is_same_v<T, __nv_bfloat16>)
      return min(least & 0xFFFFU, least >> 16) < (kExponent << 7) - 1;
    return std::is_same_v<T, float> && least < (kExponent << 23) - 1;
  }
};

// Divides by a number that all windows have in common, as the division rounds.
struct MeanQuotient : SplitReciprocal {
  float by;

  MeanQuotient() = default;
  explicit MeanQuotient(const MeanDivisor& divisor)
      : SplitReciprocal(static_cast<float>(divisor.given[0])), by(static_cast<float>(divisor.given[0])) {}
  static bool takes(const MeanDivisor& divisor) {
    return divisor.is_one() && SplitReciprocal::takes(divisor.given[0]);
  }

  // Values of which some may be small. None becomes -0, so a sum may begin with any of them.
  template <int Count, int Each>
  __device__ void divide(float (&values)[Count][Each], bool small) const {
    if (!small) {
#pragma unroll
      for (auto& some : values) {
#pragma unroll
        for (float& value : some) value = __fmaf_rn(value, high, __fmaf_rn(value, low, 0.0F));
      }
    } else {
#pragma unroll
      for (auto& some : values) {
#pragma unroll
        for (float& value : some) value = 0.0F + value / by;
      }
    }
  }
  // Sums of values that were a T. A sum of FLOAT16 is 0 or no smaller than one of them.
  template <typename T, int Count, int Each>
  __device__ void divide_sums(float (&sums)[Count][Each]) const {
    SmallValues<std::conditional_t<std::is_same_v<T, __half>, __half, float>> small;
    if constexpr (!std::is_same_v<T, __half>) {
#pragma unroll
      for (const auto& some : sums) {
#pragma unroll
        for (const float sum : some) small.look_at(Pack<float, 1>{sum});
      }
    }
    divide(sums, small.any());
  }
};

}  // namespace cairn::cuda
