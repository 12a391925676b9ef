#pragma once

#include <cstdint>

#include "ops/kit/cpu/half.h"

namespace cairn {

// One row of `count` elements, `stride` elements apart, as the floats or doubles they are summed in, side by
// side, and back. Narrowing rounds as `rounded` does.
void widen_row(const float* from, std::int64_t stride, float* to, std::int64_t count);
void widen_row(const Float16* from, std::int64_t stride, float* to, std::int64_t count);
void widen_row(const Bfloat16* from, std::int64_t stride, float* to, std::int64_t count);
void widen_row(const double* from, std::int64_t stride, double* to, std::int64_t count);
void narrow_row(const float* from, float* to, std::int64_t stride, std::int64_t count);
void narrow_row(const float* from, Float16* to, std::int64_t stride, std::int64_t count);
void narrow_row(const float* from, Bfloat16* to, std::int64_t stride, std::int64_t count);
void narrow_row(const double* from, double* to, std::int64_t stride, std::int64_t count);

// Narrows to elements side by side and writes the whole cache lines among them past the cache. The caller
// ends the task with hwy::FlushStream().
void stream_row(const float* from, float* to, std::int64_t count);
void stream_row(const float* from, Float16* to, std::int64_t count);
void stream_row(const float* from, Bfloat16* to, std::int64_t count);
void stream_row(const double* from, double* to, std::int64_t count);

// Whether none of them is an infinity or a NaN: then no sum of them is a NaN.
bool all_finite(const float* values, std::int64_t count);
bool all_finite(const double* values, std::int64_t count);

}  // namespace cairn
