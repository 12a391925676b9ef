#pragma once

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <type_traits>

#include "ops/kit/cuda/mean_axis.cuh"

namespace cairn::cuda {

// Divides by a number that all windows have in common, as the division rounds, with its reciprocal r: one
// step of Newton's from x · r is enough. Before it is rounded the result is off by less than 2^-22 of a last
// place, and no quotient by a whole number below 2^21 is that near to the middle between two floats. This
// holds while nothing underflows on the way, but for the sign of zero, which a sum that begins with +0 does
// not see.
struct MeanQuotient {
  using Sum = float;
  Sum by, reciprocal;
  bool quick;

  MeanQuotient() = default;
  explicit MeanQuotient(const MeanDivisor& divisor)
      : by(static_cast<Sum>(divisor.given[0])), reciprocal(1 / by), quick(by >= 1 && by < Sum{1 << 21}) {}

  // Values that were a T.
  template <typename T, int Count>
  __device__ void divide(Sum (&values)[Count]) const {
    bool fits = quick;
    Sum quotients[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const float size = fabsf(values[i]);
      const float near = values[i] * reciprocal;
      const float nearest = __fmaf_rn(__fmaf_rn(-near, by, values[i]), reciprocal, near);
      quotients[i] = size < INFINITY ? nearest : near;
      // No FLOAT16 is that small.
      if constexpr (!std::is_same_v<T, __half>) fits = fits && (size >= 0x1p-100F || size == 0);
    }
    if (fits) {
#pragma unroll
      for (int i = 0; i < Count; ++i) values[i] = quotients[i];
    } else {
#pragma unroll
      for (int i = 0; i < Count; ++i) values[i] /= by;
    }
  }
};

}  // namespace cairn::cuda
