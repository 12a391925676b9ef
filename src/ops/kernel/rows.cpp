#include "ops/kernel/rows.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernel/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernel/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn {
namespace HWY_NAMESPACE {

template <typename T>
void widen_values(const T* HWY_RESTRICT from, float* HWY_RESTRICT to, std::int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(load_float(d, from + i), d, to + i);
  for (; i < count; ++i) to[i] = to_float(from[i]);
}

template <typename T>
HWY_INLINE void narrow_values(const float* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) store_float(d, hn::LoadU(d, from + i), to + i);
  for (; i < count; ++i) to[i] = from_float<T>(from[i]);
}

template <class D>
HWY_INLINE void stream_vector(D d, hn::Vec<D> v, float* to) {
  hn::Stream(v, d, to);
}
template <class D>
HWY_INLINE void stream_vector(D d, hn::Vec<D> v, Float16* to) {
  hn::Stream(narrow_to_float16(d, v), HalfBits<D>(), reinterpret_cast<std::uint16_t*>(to));
}
template <class D>
HWY_INLINE void stream_vector(D d, hn::Vec<D> v, Bfloat16* to) {
  hn::Stream(narrow_to_bfloat16(d, v), HalfBits<D>(), reinterpret_cast<std::uint16_t*>(to));
}

template <typename T>
void stream_values(const float* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t count) {
  constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(T));
  const auto past_line = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % 64 / sizeof(T));
  const std::int64_t head = std::min(past_line == 0 ? 0 : kLine - past_line, count);
  const std::int64_t body_end = head + (count - head) / kLine * kLine;
  narrow_values(from, to, head);
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = head; i < body_end; i += lanes) stream_vector(d, hn::LoadU(d, from + i), to + i);
  narrow_values(from + body_end, to + body_end, count - body_end);
}

void widen_float16_row(const Float16* from, float* to, std::int64_t count) { widen_values(from, to, count); }
void widen_bfloat16_row(const Bfloat16* from, float* to, std::int64_t count) {
  widen_values(from, to, count);
}
void narrow_float16_row(const float* from, Float16* to, std::int64_t count) {
  narrow_values(from, to, count);
}
void narrow_bfloat16_row(const float* from, Bfloat16* to, std::int64_t count) {
  narrow_values(from, to, count);
}
void stream_float_row(const float* from, float* to, std::int64_t count) { stream_values(from, to, count); }
void stream_float16_row(const float* from, Float16* to, std::int64_t count) {
  stream_values(from, to, count);
}
void stream_bfloat16_row(const float* from, Bfloat16* to, std::int64_t count) {
  stream_values(from, to, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace cairn
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn {
namespace {

HWY_EXPORT(widen_float16_row);
HWY_EXPORT(widen_bfloat16_row);
HWY_EXPORT(narrow_float16_row);
HWY_EXPORT(narrow_bfloat16_row);
HWY_EXPORT(stream_float_row);
HWY_EXPORT(stream_float16_row);
HWY_EXPORT(stream_bfloat16_row);

template <typename T>
void widen_strided(const T* from, std::int64_t stride, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = to_float(from[i * stride]);
}

template <typename T>
void narrow_strided(const float* from, T* to, std::int64_t stride, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i * stride] = from_float<T>(from[i]);
}

}  // namespace

void widen_row(const float* from, std::int64_t stride, float* to, std::int64_t count) {
  if (stride != 1) return widen_strided(from, stride, to, count);
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
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
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
}
void narrow_row(const float* from, Float16* to, std::int64_t stride, std::int64_t count) {
  if (stride != 1) return narrow_strided(from, to, stride, count);
  HWY_DYNAMIC_DISPATCH(narrow_float16_row)(from, to, count);
}
void narrow_row(const float* from, Bfloat16* to, std::int64_t stride, std::int64_t count) {
  if (stride != 1) return narrow_strided(from, to, stride, count);
  HWY_DYNAMIC_DISPATCH(narrow_bfloat16_row)(from, to, count);
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

}  // namespace cairn
#endif
