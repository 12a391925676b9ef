// Vectors of float from and to memory of float, Float16 or Bfloat16: the vector form of half.h, bit for bit.

#if defined(CAIRN_OPS_KIT_CPU_CONVERT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_CONVERT_INL_H_
#undef CAIRN_OPS_KIT_CPU_CONVERT_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_CONVERT_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/kit/cpu/half.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// True where the machine converts halves itself, rounding to nearest even; Highway emulates elsewhere, not to
// our definition.
#undef CAIRN_NATIVE_FLOAT16
#if HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
#define CAIRN_NATIVE_FLOAT16 1
#else
#define CAIRN_NATIVE_FLOAT16 0
#endif

template <class D>
using HalfBits = hn::Rebind<std::uint16_t, D>;

template <class D>
HWY_INLINE hn::Vec<D> widen_bfloat16(D d, hn::Vec<HalfBits<D>> half) {
  const hn::RebindToUnsigned<D> du;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, half)));
}

template <class D>
HWY_INLINE hn::Vec<D> widen_float16(D d, hn::Vec<HalfBits<D>> half) {
#if CAIRN_NATIVE_FLOAT16
  return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), half));
#else
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::PromoteTo(du, half);
  const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(du, 0x8000u)));
  const auto magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(du, 0x7FFFu)));
  const auto rebias = hn::Set(du, 112u << 23);
  const auto subnormal =
      hn::Sub(hn::BitCast(d, hn::Add(magnitude, hn::Set(du, 113u << 23))), hn::Set(d, 0x1p-14f));
  const auto is_subnormal = hn::Lt(hn::BitCast(di, magnitude), hn::Set(di, 0x0400 << 13));
  const auto is_special = hn::Gt(hn::BitCast(di, magnitude), hn::Set(di, (0x7C00 << 13) - 1));
  const auto special_rebias = hn::IfThenElseZero(hn::RebindMask(du, is_special), rebias);
  const auto normal = hn::Add(hn::Add(magnitude, rebias), special_rebias);
  const auto result = hn::IfThenElse(hn::RebindMask(d, is_subnormal), subnormal, hn::BitCast(d, normal));
  return hn::Or(result, hn::BitCast(d, sign));
#endif
}

// Sums as they are, except that every NaN becomes the same one: half.h says why.
template <class D>
HWY_INLINE hn::Vec<D> with_one_nan(D d, hn::Vec<D> sums) {
  const auto nan = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), kNan<hn::TFromD<D>>));
#if HWY_TARGET <= HWY_AVX3
  // One instruction: of the eight classes of number the two of NaNs are replaced, the others kept.
  if constexpr (std::is_same_v<hn::Vec<D>, hn::Vec<hn::ScalableTag<float>>>) {
    return hn::Vec<D>{_mm512_fixupimm_ps(nan.raw, sums.raw, _mm512_set1_epi32(0x11111100), 0)};
  } else if constexpr (std::is_same_v<hn::Vec<D>, hn::Vec<hn::ScalableTag<double>>>) {
    return hn::Vec<D>{_mm512_fixupimm_pd(nan.raw, sums.raw, _mm512_set1_epi64(0x11111100), 0)};
  }
#endif
  return hn::IfThenElse(hn::IsNaN(sums), nan, sums);
}
// Sums of one value each: like all sums they begin with +0.0, so they are never -0.0.
template <class D>
HWY_INLINE hn::Vec<D> sums_of_one(D d, hn::Vec<D> values) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (std::is_same_v<hn::Vec<D>, hn::Vec<hn::ScalableTag<float>>>) {
    // As above, and both zeros become +0.0.
    const auto nan = hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), kNan<float>));
    return hn::Vec<D>{_mm512_fixupimm_ps(nan.raw, values.raw, _mm512_set1_epi32(0x11111800), 0)};
  }
#endif
  return with_one_nan(d, hn::Add(values, hn::Zero(d)));
}
// The same for the bits of halves, Float16 or Bfloat16 as `Half` says, once they are rounded.
template <typename Half, class D>
HWY_INLINE hn::Vec<D> with_one_nan_of(D d, hn::Vec<D> halves) {
  const hn::RebindToSigned<D> di;
  constexpr std::int16_t kInfinity = std::is_same_v<Half, Float16> ? 0x7C00 : 0x7F80;
  const auto magnitude = hn::BitCast(di, hn::And(halves, hn::Set(d, std::uint16_t{0x7FFF})));
  const auto is_nan = hn::RebindMask(d, hn::Gt(magnitude, hn::Set(di, kInfinity)));
  return hn::IfThenElse(is_nan, hn::Set(d, kNan<Half>), halves);
}

// The element is the upper half of each lane; the lower is not cleared.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> round_to_bfloat16(D /*d*/, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7FFFu)), odd);
  const auto is_nan = hn::RebindMask(du, hn::IsNaN(v));
  return hn::IfThenElse(is_nan, hn::Set(du, kNan<float>), rounded);
}

template <class D>
HWY_INLINE hn::Vec<HalfBits<D>> narrow_to_bfloat16(D d, hn::Vec<D> v) {
  const hn::RebindToSigned<D> di;
  return hn::DemoteTo(HalfBits<D>(), hn::BitCast(di, hn::ShiftRight<16>(round_to_bfloat16(d, v))));
}

// A NaN becomes some NaN; the one that sums have becomes that of float16.
template <class D>
HWY_INLINE hn::Vec<HalfBits<D>> narrow_to_float16([[maybe_unused]] D d, hn::Vec<D> v) {
#if CAIRN_NATIVE_FLOAT16
  const hn::Rebind<hwy::float16_t, D> dh;
  return hn::BitCast(HalfBits<D>(), hn::DemoteTo(dh, v));
#else
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto magnitude = hn::And(hn::BitCast(du, v), hn::Set(du, 0x7FFFFFFFu));
  const auto signed_magnitude = hn::BitCast(di, magnitude);
  const auto sign = hn::And(hn::ShiftRight<16>(hn::BitCast(du, v)), hn::Set(du, 0x8000u));
  const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1u));
  const auto normal =
      hn::ShiftRight<13>(hn::Add(hn::Add(magnitude, hn::Set(du, 0x0FFFu - (112u << 23))), odd));
  const auto subnormal = hn::Sub(hn::BitCast(du, hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f))),
                                 hn::Set(du, 0x3F000000u));
  const auto is_subnormal = hn::Lt(signed_magnitude, hn::Set(di, 0x38800000));
  const auto is_large = hn::Gt(signed_magnitude, hn::Set(di, 0x47800000 - 1));
  const auto is_nan = hn::Gt(signed_magnitude, hn::Set(di, 0x7F800000));
  auto half = hn::IfThenElse(hn::RebindMask(du, is_subnormal), subnormal, normal);
  half = hn::Or(hn::IfThenElse(hn::RebindMask(du, is_large), hn::Set(du, 0x7C00u), half), sign);
  half = hn::IfThenElse(hn::RebindMask(du, is_nan), hn::Set(du, std::uint32_t{kNan<Float16>}), half);
  return hn::DemoteTo(HalfBits<D>(), hn::BitCast(di, half));
#endif
}

// Loads: `from` needs the alignment of its type only. A double stays one.
template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const float* HWY_RESTRICT from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const double* HWY_RESTRICT from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const Float16* HWY_RESTRICT from) {
  return widen_float16(d, hn::LoadU(HalfBits<D>(), reinterpret_cast<const std::uint16_t*>(from)));
}
template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const Bfloat16* HWY_RESTRICT from) {
  return widen_bfloat16(d, hn::LoadU(HalfBits<D>(), reinterpret_cast<const std::uint16_t*>(from)));
}

template <typename Half, class D>
HWY_INLINE hn::Vec<D> widen_half(D d, hn::Vec<HalfBits<D>> half) {
  if constexpr (std::is_same_v<Half, Float16>)
    return widen_float16(d, half);
  else
    return widen_bfloat16(d, half);
}

// The first `count` of a vector, and zeros behind; nothing behind them is read.
template <class D, typename T>
HWY_INLINE hn::Vec<D> load_first(D d, const T* HWY_RESTRICT from, std::int64_t count) {
  constexpr std::int64_t kLanes{hn::MaxLanes(D())};
  if (count >= kLanes) return load_float(d, from);
  if (count <= 0) return hn::Zero(d);
#if HWY_TARGET <= HWY_AVX3
  const auto some = static_cast<std::size_t>(count);
  if constexpr (sizeof(T) > 2) {
    return hn::MaskedLoad(hn::FirstN(d, some), d, from);
  } else {
    const HalfBits<D> bits;
    return widen_half<T>(
        d, hn::MaskedLoad(hn::FirstN(bits, some), bits, reinterpret_cast<const std::uint16_t*>(from)));
  }
#else
  alignas(64) T values[kLanes] = {};
  std::copy_n(from, count, values);
  return load_float(d, static_cast<const T*>(values));
#endif
}

// Stores of sums: one rounding, a whole vector.
template <class D>
HWY_INLINE void store_sums(D d, hn::Vec<D> v, float* HWY_RESTRICT to) {
  hn::StoreU(with_one_nan(d, v), d, to);
}
template <class D>
HWY_INLINE void store_sums(D d, hn::Vec<D> v, double* HWY_RESTRICT to) {
  hn::StoreU(with_one_nan(d, v), d, to);
}
template <class D>
HWY_INLINE void store_sums(D d, hn::Vec<D> v, Float16* HWY_RESTRICT to) {
  hn::StoreU(narrow_to_float16(d, with_one_nan(d, v)), HalfBits<D>(), reinterpret_cast<std::uint16_t*>(to));
}
template <class D>
HWY_INLINE void store_sums(D d, hn::Vec<D> v, Bfloat16* HWY_RESTRICT to) {
  hn::StoreU(narrow_to_bfloat16(d, v), HalfBits<D>(), reinterpret_cast<std::uint16_t*>(to));
}

// The same past the cache: `to` is aligned to what is stored.
template <class D, typename T>
HWY_INLINE void stream_sums(D d, hn::Vec<D> v, T* HWY_RESTRICT to) {
  // Highway streams at least 16 bytes.
  if constexpr (hn::MaxLanes(D()) * sizeof(T) < 16) {
    store_sums(d, v, to);
  } else if constexpr (std::is_same_v<T, Float16>) {
    hn::Stream(narrow_to_float16(d, with_one_nan(d, v)), HalfBits<D>(), reinterpret_cast<std::uint16_t*>(to));
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    hn::Stream(narrow_to_bfloat16(d, v), HalfBits<D>(), reinterpret_cast<std::uint16_t*>(to));
  } else {
    hn::Stream(with_one_nan(d, v), d, to);
  }
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
