// The maximum of windows and where it lies, in vectors of floats with 32-bit positions. Taps come in
// ascending order; one takes over if it is larger, or a NaN. Taking over in steps (along W, then rows, then
// slices) keeps that rule.

#if defined(CAIRN_OPS_KIT_CPU_MAXIMUM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_MAXIMUM_INL_H_
#undef CAIRN_OPS_KIT_CPU_MAXIMUM_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_MAXIMUM_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/kit/cpu/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;

// A vector of windows: the largest tap so far and where it lies in the plane.
template <class D>
struct Leader {
  hn::Vec<D> value;
  hn::Vec<hn::RebindToSigned<D>> position;

  // Declared here, so that it is compiled for the target: gcc makes an implicit one for the baseline.
  Leader() = default;
  HWY_INLINE Leader(hn::Vec<D> tap, hn::Vec<hn::RebindToSigned<D>> place) : value(tap), position(place) {}

  template <bool kNans>
  HWY_INLINE void meet(hn::Vec<D> tap, hn::Vec<hn::RebindToSigned<D>> place) {
    const hn::RebindToSigned<D> di;
    auto takes_over = hn::Gt(tap, value);
    if constexpr (kNans) takes_over = hn::Or(takes_over, hn::IsNaN(tap));
    value = hn::IfThenElse(takes_over, tap, value);
    position = hn::IfThenElse(hn::RebindMask(di, takes_over), place, position);
  }
};

// Becomes a NaN when it meets one, or an infinity: those are rare enough to look again, with care.
template <class D>
HWY_INLINE void watch(hn::Vec<D>& watcher, hn::Vec<D> tap) {
  watcher = hn::MulAdd(tap, hn::Zero(D()), watcher);
}
template <class D>
HWY_INLINE bool is_alarmed(D d, hn::Vec<D> watcher) {
  return !hn::AllFalse(d, hn::IsNaN(watcher));
}

// Leaders in memory; whole vectors are written.
struct LeaderRow {
  float* values;
  std::int32_t* positions;
};

// Windows without a tap.
inline void fill_without_taps(const LeaderRow& row, std::int64_t count) {
  std::fill_n(row.values, count, -std::numeric_limits<float>::infinity());
  std::fill_n(row.positions, count, -1);
}

// The leaders over all rows, first to last.
template <bool kNans>
void merge_rows(const LeaderRow* rows, std::int64_t row_count, std::int64_t length, const LeaderRow& best) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < length; i += lanes) {
    Leader<Floats> leader{hn::LoadU(d, rows[0].values + i), hn::LoadU(di, rows[0].positions + i)};
    for (std::int64_t r = 1; r < row_count; ++r) {
      leader.template meet<kNans>(hn::LoadU(d, rows[r].values + i), hn::LoadU(di, rows[r].positions + i));
    }
    hn::StoreU(leader.value, d, best.values + i);
    hn::StoreU(leader.position, di, best.positions + i);
  }
}

// Leaders' values as they are stored. Every one is a T already, so nothing is rounded; what a NaN becomes
// does not matter here.
template <typename T>
HWY_INLINE void narrow_leaders(const float* HWY_RESTRICT from, std::int64_t count, T* HWY_RESTRICT to) {
  const Floats d;
  const HalfBits<Floats> half;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes) {
    const auto v = hn::LoadU(d, from + i);
    auto* bits = reinterpret_cast<std::uint16_t*>(to + i);
    if constexpr (std::is_same_v<T, Bfloat16>) {
      const auto upper = hn::ShiftRight<16>(hn::BitCast(hn::RebindToUnsigned<Floats>(), v));
      hn::StoreU(hn::DemoteTo(half, hn::BitCast(Ints(), upper)), half, bits);
    } else {
      hn::StoreU(narrow_to_float16(d, v), half, bits);
    }
  }
}

// Splits two vectors in a row into the lanes at even and those at odd places.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE hn::Vec<Floats> even_lanes(Floats /*d*/, hn::Vec<Floats> /*high*/, hn::Vec<Floats> low) {
  return low;
}
HWY_INLINE hn::Vec<Floats> odd_lanes(Floats /*d*/, hn::Vec<Floats> high, hn::Vec<Floats> /*low*/) {
  return high;
}
#else
HWY_INLINE hn::Vec<Floats> even_lanes(Floats d, hn::Vec<Floats> high, hn::Vec<Floats> low) {
  return hn::ConcatEven(d, high, low);
}
HWY_INLINE hn::Vec<Floats> odd_lanes(Floats d, hn::Vec<Floats> high, hn::Vec<Floats> low) {
  return hn::ConcatOdd(d, high, low);
}
#endif

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
