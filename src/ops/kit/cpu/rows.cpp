#include "ops/kit/cpu/rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "ops/kit/cpu/ordered_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kit/cpu/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

template <typename T>
void widen_values(const T* HWY_RESTRICT from, float* HWY_RESTRICT to, std::int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(load_float(d, from + i), d, to + i);
  for (; i < count; ++i) to[i] = to_float(from[i]);
}

template <typename T>
HWY_INLINE void narrow_values(const SumOf<T>* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t count) {
  const hn::ScalableTag<SumOf<T>> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) store_sums(d, hn::LoadU(d, from + i), to + i);
  for (; i < count; ++i) to[i] = rounded<T>(from[i]);
}

// Two vectors at a time, so that halves fill a whole one: Highway streams nothing less.
template <class D>
HWY_INLINE void stream_two(D d, hn::Vec<D> low, hn::Vec<D> high, hn::TFromD<D>* to) {
  hn::Stream(with_one_nan(d, low), d, to);
  hn::Stream(with_one_nan(d, high), d, to + hn::Lanes(d));
}
#if HWY_TARGET != HWY_SCALAR
template <class D>
HWY_INLINE void stream_two(D d, hn::Vec<D> low, hn::Vec<D> high, Float16* to) {
  const hn::Repartition<std::uint16_t, D> whole;
  const auto both = hn::Combine(whole, narrow_to_float16(d, with_one_nan(d, high)),
                                narrow_to_float16(d, with_one_nan(d, low)));
  hn::Stream(both, whole, reinterpret_cast<std::uint16_t*>(to));
}
template <class D>
HWY_INLINE void stream_two(D d, hn::Vec<D> low, hn::Vec<D> high, Bfloat16* to) {
  const hn::Repartition<std::uint16_t, D> whole;
  const auto both = hn::Combine(whole, narrow_to_bfloat16(d, high), narrow_to_bfloat16(d, low));
  hn::Stream(both, whole, reinterpret_cast<std::uint16_t*>(to));
}
#endif

// `to` is at the start of a cache line, `count` fills whole ones.
template <typename T>
HWY_INLINE void stream_lines(const SumOf<T>* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t count) {
#if HWY_TARGET == HWY_SCALAR
  narrow_values(from, to, count);
#else
  // A line of floats or doubles may be a single vector.
  const hn::CappedTag<SumOf<T>, std::is_same_v<T, SumOf<T>> ? 32 / sizeof(T) : 16> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += 2 * lanes) {
    stream_two(d, hn::LoadU(d, from + i), hn::LoadU(d, from + i + lanes), to + i);
  }
#endif
}

template <typename T>
void stream_values(const SumOf<T>* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t count) {
  constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(T));
  const auto past_line = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % 64);
  if (past_line % static_cast<std::int64_t>(sizeof(T)) != 0) return narrow_values(from, to, count);
  const std::int64_t head = std::min((64 - past_line) % 64 / static_cast<std::int64_t>(sizeof(T)), count);
  const std::int64_t body = (count - head) / kLine * kLine;
  narrow_values(from, to, head);
  stream_lines(from + head, to + head, body);
  narrow_values(from + head + body, to + head + body, count - head - body);
}

bool all_finite_row(const float* values, std::int64_t count) {
  const hn::ScalableTag<std::int32_t> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto* bits = reinterpret_cast<const std::int32_t*>(values);
  constexpr std::int32_t kMagnitude = 0x7FFFFFFF;
  constexpr std::int32_t kInfinity = 0x7F800000;
  const auto load = [&](std::int64_t i)
                        HWY_ATTR { return hn::And(hn::LoadU(d, bits + i), hn::Set(d, kMagnitude)); };
  auto largest = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    largest = hn::Max(largest, hn::Max(load(i), load(i + lanes)));
  }
  for (; i + lanes <= count; i += lanes) largest = hn::Max(largest, load(i));
  bool finite = hn::AllTrue(d, hn::Lt(largest, hn::Set(d, kInfinity)));
  for (; i < count; ++i) finite &= (bits[i] & kMagnitude) < kInfinity;
  return finite;
}

void widen_float16_row(const Float16* from, float* to, std::int64_t count) { widen_values(from, to, count); }
void widen_bfloat16_row(const Bfloat16* from, float* to, std::int64_t count) {
  widen_values(from, to, count);
}
void narrow_float_row(const float* from, float* to, std::int64_t count) { narrow_values(from, to, count); }
void narrow_float16_row(const float* from, Float16* to, std::int64_t count) {
  narrow_values(from, to, count);
}
void narrow_bfloat16_row(const float* from, Bfloat16* to, std::int64_t count) {
  narrow_values(from, to, count);
}
void narrow_double_row(const double* from, double* to, std::int64_t count) { narrow_values(from, to, count); }
void stream_double_row(const double* from, double* to, std::int64_t count) { stream_values(from, to, count); }
void stream_float_row(const float* from, float* to, std::int64_t count) { stream_values(from, to, count); }
void stream_float16_row(const float* from, Float16* to, std::int64_t count) {
  stream_values(from, to, count);
}
void stream_bfloat16_row(const float* from, Bfloat16* to, std::int64_t count) {
  stream_values(from, to, count);
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn {
namespace {

HWY_EXPORT(widen_float16_row);
HWY_EXPORT(widen_bfloat16_row);
HWY_EXPORT(narrow_float_row);
HWY_EXPORT(narrow_float16_row);
HWY_EXPORT(narrow_bfloat16_row);
HWY_EXPORT(narrow_double_row);
HWY_EXPORT(stream_double_row);
HWY_EXPORT(stream_float_row);
HWY_EXPORT(stream_float16_row);
HWY_EXPORT(stream_bfloat16_row);
HWY_EXPORT(all_finite_row);

template <typename T>
void widen_strided(const T* from, std::int64_t stride, SumOf<T>* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = widened(from[i * stride]);
}

template <typename T>
void narrow_strided(const SumOf<T>* from, T* to, std::int64_t stride, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i * stride] = rounded<T>(from[i]);
}

}  // namespace

void widen_row(const float* from, std::int64_t stride, float* to, std::int64_t count) {
  if (stride != 1) return widen_strided(from, stride, to, count);
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
}
void widen_row(const double* from, std::int64_t stride, double* to, std::int64_t count) {
  if (stride != 1) return widen_strided(from, stride, to, count);
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(double));
}
void widen_row(const Float16* from, std::int64_t stride, float* to, std::int64_t count) {
  if (stride != 1) return widen_strided(from, stride, to, count);
  HWY_DYNAMIC_DISPATCH(widen_float16_row)(from, to, count);
}
void widen_row(const Bfloat16* from, std::int64_t stride, float* to, std::int64_t count) {
  if (stride != 1) return widen_strided(from, stride, to, count);
  HWY_DYNAMIC_DISPATCH(widen_bfloat16_row)(from, to, count);
}

void narrow_row(const float* from, float* to, std::int64_t stride, std::int64_t count) {
  if (stride != 1) return narrow_strided(from, to, stride, count);
  HWY_DYNAMIC_DISPATCH(narrow_float_row)(from, to, count);
}
void narrow_row(const float* from, Float16* to, std::int64_t stride, std::int64_t count) {
  if (stride != 1) return narrow_strided(from, to, stride, count);
  HWY_DYNAMIC_DISPATCH(narrow_float16_row)(from, to, count);
}
void narrow_row(const float* from, Bfloat16* to, std::int64_t stride, std::int64_t count) {
  if (stride != 1) return narrow_strided(from, to, stride, count);
  HWY_DYNAMIC_DISPATCH(narrow_bfloat16_row)(from, to, count);
}

void narrow_row(const double* from, double* to, std::int64_t stride, std::int64_t count) {
  if (stride != 1) return narrow_strided(from, to, stride, count);
  HWY_DYNAMIC_DISPATCH(narrow_double_row)(from, to, count);
}

void stream_row(const double* from, double* to, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(stream_double_row)(from, to, count);
}
void stream_row(const float* from, float* to, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(stream_float_row)(from, to, count);
}
void stream_row(const float* from, Float16* to, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(stream_float16_row)(from, to, count);
}
void stream_row(const float* from, Bfloat16* to, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(stream_bfloat16_row)(from, to, count);
}

bool all_finite(const float* values, std::int64_t count) {
  return HWY_DYNAMIC_DISPATCH(all_finite_row)(values, count);
}
bool all_finite(const double* values, std::int64_t count) {
  bool finite = true;
  for (std::int64_t i = 0; i < count; ++i) finite &= std::isfinite(values[i]);
  return finite;
}

}  // namespace cairn
#endif
