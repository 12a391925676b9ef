// Blocks of channels that lie side by side: all taps of a window at once, as floats.

#if defined(CAIRN_OPS_MAX_POOL_CPU_CHANNELS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_CHANNELS_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_CHANNELS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_CHANNELS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/maximum-inl.h"
#include "ops/max_pool/cpu/block_output-inl.h"
#include "ops/max_pool/cpu/channel_blocks.h"
#include "ops/max_pool/cpu/taps.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

template <bool kNans, std::size_t kVectors, class D, typename T>
HWY_INLINE void pool_vectors(D d, const Taps<T>& taps, std::int64_t channel, hn::Vec<D>& watcher,
                             const LeaderRow& best) {
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Leader<D> leaders[kVectors];
  const auto load = [&](std::int64_t k, std::size_t v) HWY_ATTR {
    const T* from = taps.from(k) + channel + static_cast<std::int64_t>(v) * lanes;
    if (v * sizeof(T) % 4 == 0) hwy::Prefetch(from + taps.ahead);
    const auto tap = load_float(d, from);
    watch<D>(watcher, tap);
    return tap;
  };
  for (std::size_t v = 0; v < kVectors; ++v) leaders[v] = {load(0, v), hn::Set(di, taps.position(0))};
  for (std::int64_t k = 1; k < taps.count; ++k) {
    const auto place = hn::Set(di, taps.position(k));
    for (std::size_t v = 0; v < kVectors; ++v) leaders[v].template meet<kNans>(load(k, v), place);
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::int64_t at = channel + static_cast<std::int64_t>(v) * lanes;
    hn::StoreU(leaders[v].value, d, best.values + at);
    hn::StoreU(leaders[v].position, di, best.positions + at);
  }
}

// One window in each of `channels` planes side by side. True if there may be a NaN.
template <bool kNans, class D, typename T>
HWY_INLINE bool pool_channels(D d, const Taps<T>& taps, std::int64_t channels, const LeaderRow& best) {
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

template <typename T, typename Index>
class Channels {
 public:
  Channels(const Plan& plan, const WindowAxes& axes, const Blocks& /*blocks*/)
      : p_(plan), finder_(plan, axes) {}

  void fill(const Block& block, BlockOutput<T, Index>& output) {
    bool nans = false;
    for (std::int64_t h = block.rows.begin; h < block.rows.end; ++h) {
      finder_.find_rows(plane_of<const T>(p_.self, block), block.d, h, 0);
      nans = fill_row(block, output.leaders(block, h)) || nans;
    }
    output.take_leaders(block, nans);
  }

 private:
  bool fill_row(const Block& block, LeaderRow best) {
    bool nans = false;
    for (std::int64_t o = block.windows.begin; o < block.windows.end; ++o) {
      const Taps<T> taps = finder_.find(o);
      if (taps.count == 0) {
        fill_without_taps(best, block.channels);
      } else if (pool_channels<false>(Floats(), taps, block.channels, best)) {
        nans = true;
        pool_channels<true>(Floats(), taps, block.channels, best);
      }
      best = {best.values + block.channels, best.positions + block.channels};
    }
    return nans;
  }

  const Plan& p_;
  TapFinder<T> finder_;
};

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
