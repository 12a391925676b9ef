// The maximum of windows of a half type, channels side by side: 16 bits for the value, 16 for the position.

#if defined(CAIRN_OPS_MAX_POOL_CPU_HALF_CHANNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_HALF_CHANNELS_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_HALF_CHANNELS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_HALF_CHANNELS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/max_pool/cpu/taps-inl.h"
#include "ops/max_pool/cpu/windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// Positions from how far behind `base` they lie.
template <class D, typename Index>
HWY_INLINE void store_positions_behind(D /*d*/, std::int32_t base, hn::Vec<D> behind, Index* to) {
  if constexpr (hn::MaxLanes(D()) * sizeof(Index) > hn::MaxLanes(Ints()) * sizeof(std::int32_t)) {
    const hn::Half<D> half;
    store_positions_behind(half, base, hn::LowerHalf(half, behind), to);
    store_positions_behind(half, base, hn::UpperHalf(half, behind), to + hn::Lanes(half));
  } else {
    const hn::Rebind<std::int32_t, D> d32;
    const hn::RebindToUnsigned<D> du;
    const auto positions = hn::Add(hn::PromoteTo(d32, hn::BitCast(du, behind)), hn::Set(d32, base));
    if constexpr (sizeof(Index) == 4) {
      hn::StoreU(positions, d32, to);
    } else {
      const hn::Rebind<std::int64_t, D> d64;
      hn::StoreU(hn::PromoteTo(d64, positions), d64, to);
    }
  }
}

template <std::size_t kVectors, class D, typename T, typename Index>
HWY_INLINE void pool_half_vectors(D d, const Taps<T>& taps, std::int64_t channel, HalfWatch<D, T>& watcher,
                                  T* values, Index* positions) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<D> best[kVectors];
  hn::Vec<D> behind[kVectors];
  const auto load = [&](std::int64_t k, std::size_t v) HWY_ATTR {
    const T* from = taps.from(k) + channel + static_cast<std::int64_t>(v) * lanes;
    const auto bits = hn::LoadU(d, reinterpret_cast<const std::int16_t*>(from));
    const auto order = to_or_from_order(d, bits);
    watcher.see(bits, order);
    return order;
  };
  for (std::size_t v = 0; v < kVectors; ++v) {
    best[v] = load(0, v);
    behind[v] = hn::Zero(d);
  }
  for (std::int64_t k = 1; k < taps.count; ++k) {
    const auto place = hn::Set(d, static_cast<std::int16_t>(taps.of[k].position - taps.of[0].position));
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto tap = load(k, v);
      behind[v] = hn::IfThenElse(hn::Gt(tap, best[v]), place, behind[v]);
      best[v] = hn::Max(best[v], tap);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::int64_t at = channel + static_cast<std::int64_t>(v) * lanes;
    hn::StoreU(to_or_from_order(d, best[v]), d, reinterpret_cast<std::int16_t*>(values + at));
    store_positions_behind(d, taps.position(0), behind[v], positions + at);
  }
}

// Windows side by side, each in `channels` planes side by side, which are a vector at least. A window's taps
// lie less than 2^16 cells apart; those of the next are the same ones, moved by `next`.
template <class D, typename T, typename Index>
HWY_NOINLINE Alarm pool_half_channels(D d, Taps<T> taps, const Move& next, std::int64_t windows,
                                      std::int64_t channels, T* values, Index* positions) {
  constexpr std::int64_t kTogether = 2;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  HalfWatch<D, T> watcher;
  for (std::int64_t o = 0; o < windows; ++o) {
    std::int64_t c = 0;
    for (; c + kTogether * lanes <= channels; c += kTogether * lanes) {
      pool_half_vectors<kTogether>(d, taps, c, watcher, values, positions);
    }
    for (; c < channels; c += lanes) {
      pool_half_vectors<1>(d, taps, std::min(c, channels - lanes), watcher, values, positions);
    }
    taps.moved.elements += next.elements;
    taps.moved.positions += next.positions;
    values += channels;
    positions += channels;
  }
  return watcher.alarm();
}

// The same for any number of channels.
template <class D, typename T, typename Index>
Alarm pool_few_half_channels(D d, const Taps<T>& taps, const Move& next, std::int64_t windows,
                             std::int64_t channels, T* values, Index* positions) {
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (channels < static_cast<std::int64_t>(hn::Lanes(d))) {
      return pool_few_half_channels(hn::Half<D>(), taps, next, windows, channels, values, positions);
    }
  }
  return pool_half_channels(d, taps, next, windows, channels, values, positions);
}

#endif

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
