// The maximum of windows straight from memory, where rows of floats in between would not pay: channels side
// by side, and windows of two along W that do not overlap.

#if defined(CAIRN_OPS_MAX_POOL_CPU_TAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_TAPS_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_TAPS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_TAPS_INL_H_
#endif

#include "hwy/highway.h"
#include "ops/kit/cpu/convert-inl.h"
#include "ops/max_pool/cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

// A tap, or a row of them.
template <typename T>
struct Source {
  const T* from;
  std::int32_t position;  // in the plane
};

// Splits 2 * Lanes(d) neighbours into those at even and those at odd places.
template <typename T>
HWY_INLINE void load_pairs(Floats d, const T* from, hn::Vec<Floats>& even, hn::Vec<Floats>& odd) {
  const auto low = load_float(d, from);
  const auto high = load_float(d, from + hn::Lanes(d));
  even = even_lanes(d, high, low);
  odd = odd_lanes(d, high, low);
}
#if HWY_TARGET != HWY_SCALAR
HWY_INLINE void load_pairs(Floats d, const Bfloat16* from, hn::Vec<Floats>& even, hn::Vec<Floats>& odd) {
  const hn::RebindToUnsigned<Floats> du;
  const hn::Repartition<std::uint8_t, Floats> bytes;
  const auto pairs = hn::BitCast(du, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
  even = hn::BitCast(d, hn::ShiftLeft<16>(pairs));
  odd = hn::BitCast(d, hn::And(pairs, hn::Set(du, 0xFFFF0000u)));
}
#endif

// Window o has taps 2 o and 2 o + 1 of every row. There are Lanes windows at least; the last vector may look
// at windows of the one before again. True if there may be a NaN.
template <bool kNans, typename T>
HWY_INLINE bool pool_pairs(const Source<T>* rows, std::int64_t row_count, std::int64_t windows,
                           std::int64_t ahead, const Best& best) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto steps = hn::Add(hn::Iota(di, 0), hn::Iota(di, 0));
  auto watcher = hn::Zero(d);
  // Two rows that lie one behind the other are asked for as they lie, not in turn: the processor reads on by
  // itself then, twice as fast.
  const bool together = row_count % 2 == 0 && rows[0].from + 2 * windows == rows[1].from;
  for (std::int64_t i = 0; i < windows; i += lanes) {
    const std::int64_t o = std::min(i, windows - lanes);
    hn::Vec<Floats> even, odd;
    const auto load = [&](std::int64_t r) HWY_ATTR {
      const T* from = rows[r].from + 2 * o;
      const T* next =
          ahead + (together ? rows[r & ~std::int64_t{1}].from + 4 * o + (r & 1) * 2 * lanes : from);
      hwy::Prefetch(next);
      if constexpr (sizeof(T) == 4) hwy::Prefetch(next + lanes);
      load_pairs(d, from, even, odd);
      watch<Floats>(watcher, even);
      watch<Floats>(watcher, odd);
      return hn::Add(steps, hn::Set(di, rows[r].position + 2 * static_cast<std::int32_t>(o)));
    };
    const auto first = load(0);
    Leader<Floats> leader{even, first};
    leader.template meet<kNans>(odd, hn::Add(first, hn::Set(di, 1)));
    for (std::int64_t r = 1; r < row_count; ++r) {
      const auto place = load(r);
      leader.template meet<kNans>(even, place);
      leader.template meet<kNans>(odd, hn::Add(place, hn::Set(di, 1)));
    }
    hn::StoreU(leader.value, d, best.values + o);
    hn::StoreU(leader.position, di, best.positions + o);
  }
  return is_alarmed(d, watcher);
}

// How much further windows lie.
struct Move {
  std::int64_t elements;   // in memory
  std::int32_t positions;  // in the plane
};

// The taps of a window: those of another, moved.
template <typename T>
struct Taps {
  const Source<T>* of;
  std::int64_t count;
  Move moved;

  HWY_INLINE const T* from(std::int64_t k) const { return of[k].from + moved.elements; }
  HWY_INLINE std::int32_t position(std::int64_t k) const { return of[k].position + moved.positions; }
};

template <bool kNans, std::size_t kVectors, class D, typename T>
HWY_INLINE void pool_vectors(D d, const Taps<T>& taps, std::int64_t channel, hn::Vec<D>& watcher,
                             const Best& best) {
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Leader<D> leaders[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    leaders[v] = {load_float(d, taps.from(0) + channel + static_cast<std::int64_t>(v) * lanes),
                  hn::Set(di, taps.position(0))};
    watch<D>(watcher, leaders[v].value);
  }
  for (std::int64_t k = 1; k < taps.count; ++k) {
    const auto place = hn::Set(di, taps.position(k));
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto tap = load_float(d, taps.from(k) + channel + static_cast<std::int64_t>(v) * lanes);
      watch<D>(watcher, tap);
      leaders[v].template meet<kNans>(tap, place);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::int64_t at = channel + static_cast<std::int64_t>(v) * lanes;
    hn::StoreU(leaders[v].value, d, best.values + at);
    hn::StoreU(leaders[v].position, di, best.positions + at);
  }
}

// One window in each of `channels` planes side by side. True if there may be a NaN.
template <bool kNans, class D, typename T>
HWY_INLINE bool pool_channels(D d, const Taps<T>& taps, std::int64_t channels, const Best& best) {
  constexpr std::int64_t kTogether = 4;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (channels < lanes) return pool_channels<kNans>(hn::Half<D>(), taps, channels, best);
  }
  auto watcher = hn::Zero(d);
  std::int64_t c = 0;
  for (; c + kTogether * lanes <= channels; c += kTogether * lanes) {
    pool_vectors<kNans, kTogether>(d, taps, c, watcher, best);
  }
  for (; c < channels; c += lanes) {
    pool_vectors<kNans, 1>(d, taps, std::min(c, channels - lanes), watcher, best);
  }
  return is_alarmed(d, watcher);
}

// Leaders as they are stored. Every value is one of T already, so nothing is rounded; what a NaN becomes does
// not matter here.
template <typename T>
HWY_INLINE void narrow_values(const float* HWY_RESTRICT from, std::int64_t count, T* HWY_RESTRICT to) {
  const Floats d;
  const cairn::HWY_NAMESPACE::HalfBits<Floats> half;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes) {
    const auto v = hn::LoadU(d, from + i);
    auto* bits = reinterpret_cast<std::uint16_t*>(to + i);
    if constexpr (std::is_same_v<T, Bfloat16>) {
      const auto upper = hn::ShiftRight<16>(hn::BitCast(hn::RebindToUnsigned<Floats>(), v));
      hn::StoreU(hn::DemoteTo(half, hn::BitCast(Ints(), upper)), half, bits);
    } else {
      hn::StoreU(cairn::HWY_NAMESPACE::narrow_to_float16(d, v), half, bits);
    }
  }
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
