// Channels of a half type that lie side by side: 16 bits for the value, 16 for the position, so that a vector
// has twice as many windows as of floats. A block with a NaN is computed again, as floats. Of the time that
// channels need it takes 70 % (p2-resnet FLOAT16, NHWC).

#include <algorithm>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool/cpu/channel_blocks.h"
#include "ops/max_pool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/half_channels.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/maximum_of_taps-inl.h"
#include "ops/max_pool/cpu/channels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

template <typename T, typename Index>
using HalfChannels = Channels<T, Index>;

#else

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
    hwy::Prefetch(from + taps.ahead);
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

template <typename T, typename Index>
class HalfChannels {
 public:
  HalfChannels(const Plan& plan, const WindowAxes& axes, const Blocks& blocks)
      : p_(plan), finder_(plan, axes), careful_(plan, axes, blocks) {}

  void fill(const Block& block, BlockOutput<T, Index>& output) {
    const Alarm alarm = fill_at_once(block, output);
    if (alarm.care) return careful_.fill(block, output);
    if (alarm.negative_zeros) output.restore_zeros(block);
  }

 private:
  Alarm fill_at_once(const Block& block, const BlockOutput<T, Index>& output) {
    Alarm alarm;
    T* values = output.values();
    Index* positions = output.positions();
    for (std::int64_t h = block.rows.begin; h < block.rows.end; ++h) {
      finder_.find_rows(plane_of<const T>(p_.self, block), block.d, h, 0);
      for (std::int64_t o = block.windows.begin; o < block.windows.end;) {
        const Taps<T> taps = finder_.find(o);
        const std::int64_t first = o++;
        while (p_.stride.w != 0 && o < block.windows.end && finder_.is_like_last(o)) ++o;
        const std::int64_t count = (o - first) * block.channels;
        if (taps.count == 0) {
          std::fill_n(values, count, from_float<T>(-std::numeric_limits<float>::infinity()));
          std::fill_n(positions, count, -1);
        } else {
          alarm |= pool_few_half_channels(Halves(), taps, finder_.move_along_w(p_.stride.w), o - first,
                                          block.channels, values, positions);
        }
        values += count;
        positions += count;
      }
    }
    return alarm;
  }

  const Plan& p_;
  TapFinder<T> finder_;
  Channels<T, Index> careful_;
};

#endif

void run_half_channels(const Plan& plan, Workers& workers) {
  with_half_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() HWY_ATTR {
    run_blocks<HalfChannels, T, Index>(plan, channel_limits(plan), workers);
  });
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool::half_channels {
namespace {

// How far a window's last tap lies behind its first, at most.
std::int64_t reach(const Plan& plan) {
  const WindowAxes axes(plan);
  const auto along = [](const WindowAxis& axis) { return std::min(axis.extent, axis.in) - 1; };
  return (along(axes.d) * plan.in.h + along(axes.h)) * plan.in.w + along(axes.w);
}

}  // namespace

const char* why_not(const Plan& plan) {
  if (plan.type == DataType::kFloat) return "the type has 32 bits";
  if (const char* reason = why_no_channel_blocks(plan)) return reason;
  if (float_lanes() == 1) return "this instruction set has no vectors";
  if (reach(plan) > 0xFFFF) return "windows reach further than 16 bits count";
  return nullptr;
}

CAIRN_RUN_KERNEL(run_half_channels)

}  // namespace cairn::max_pool::half_channels
#endif
