// Channels that lie side by side: all taps of a window at once, a few vectors of channels at a time.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/target.h"
#include "ops/max_pool_values/cpu/window.h"
#include "ops/max_pool_values/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool_values/cpu/channels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool_values/cpu/key_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_values::HWY_NAMESPACE {

template <typename Lane>
class Channels {
 public:
  Channels(const Plan& plan, bool streaming)
      : p_(plan),
        axes_(plan),
        keys_(plan.type),
        parts_((p_.c * std::int64_t{sizeof(Lane)} + kRoom - 1) / kRoom),
        writer_(streaming) {}

  // A row of windows, in all channels.
  void fill(std::int64_t row) {
    const std::int64_t h = row % p_.out.h;
    const std::int64_t d = row / p_.out.h % p_.out.d;
    const std::int64_t n = row / p_.out.h / p_.out.d;
    const Lane* image = static_cast<const Lane*>(p_.self.data) + n * p_.self.n;
    Lane* values = static_cast<Lane*>(p_.values.data) + n * p_.values.n + d * p_.values.d + h * p_.values.h;
    for (std::int64_t w = 0; w < p_.out.w; ++w) {
      find_taps(d, h, w);
      for (std::int64_t i = 0; i < parts_; ++i) {
        const std::int64_t c = i * p_.c / parts_;
        const std::int64_t count = (i + 1) * p_.c / parts_ - c;
        Lane* to = writer_.room(values + w * p_.values.w + c, count);
        if (fill(hn::ScalableTag<Lane>(), image + c, count, to)) repair(image + c, {d, h, w}, count, to);
      }
    }
  }

 private:
  static constexpr auto kRoom = static_cast<std::int64_t>(StreamWriter::kRoom);

  void find_taps(std::int64_t d, std::int64_t h, std::int64_t w) {
    taps_.clear();
    const Span taps_d = axes_.d.taps(d);
    const Span taps_h = axes_.h.taps(h);
    const Span taps_w = axes_.w.taps(w);
    for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i)
      for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j)
        for (std::int64_t k = taps_w.begin; k < taps_w.end; ++k)
          taps_.push_back(axes_.d.cell(d, i) * p_.self.d + axes_.h.cell(h, j) * p_.self.h +
                          axes_.w.cell(w, k) * p_.self.w);
  }

  // True if some results depend on the order of the taps.
  template <class D>
  HWY_INLINE bool fill(D d, const Lane* image, std::int64_t count, Lane* to) {
    using Keys = KeyVectors<Lane, D>;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    if constexpr (hn::MaxLanes(D()) > 1) {
      if (count < lanes) return fill(hn::Half<D>(), image, count, to);
    }
    Keys vectors(keys_);
    const auto largest = hn::Set(d, keys_.largest);
    auto doubtful = hn::Gt(largest, largest);
    const auto finish = [&](typename Keys::V best, std::int64_t c) HWY_ATTR {
      doubtful = hn::Or(doubtful, hn::Gt(best, largest));
      vectors.store(best, to + c);
    };
    const auto least = hn::Set(d, OrderKey<Lane>::kLeast);
    std::int64_t c = 0;
    for (; c + 2 * lanes <= count; c += 2 * lanes) {
      auto first = least;
      auto second = least;
      for (const std::int64_t tap : taps_) {
        first = hn::Max(first, vectors.load(image + tap + c));
        second = hn::Max(second, vectors.load(image + tap + c + lanes));
      }
      finish(first, c);
      finish(second, c + lanes);
    }
    for (; c < count; c += lanes) {
      const std::int64_t at = std::min(c, count - lanes);
      auto best = least;
      for (const std::int64_t tap : taps_) best = hn::Max(best, vectors.load(image + tap + at));
      finish(best, at);
    }
    return keys_.floating && (vectors.saw_minus_zero() || !hn::AllFalse(d, doubtful));
  }

  HWY_NOINLINE void repair(const Lane* image, const Size3& window, std::int64_t count, Lane* to) const {
    for (std::int64_t c = 0; c < count; ++c) {
      const Lane key = keys_.key(to[c]);
      if (!keys_.is_nan(key) && key != keys_.zero()) continue;
      to[c] = keys_.bits(best_of_window(p_, axes_, keys_, image + c, window));
    }
  }

  const Plan& p_;
  const WindowAxes axes_;
  const OrderKey<Lane> keys_;
  const std::int64_t parts_;  // of the channels, so that there is room for one
  std::vector<std::int64_t> taps_;
  StreamWriter writer_;
};

void run_channels(const Plan& plan, Workers& workers) {
  const std::int64_t bytes =
      plan.n * plan.c * (plan.in.count() + plan.out.count()) * std::int64_t{size_of(plan.type)};
  const Units rows{.count = plan.n * plan.out.d * plan.out.h,
                   .elements = plan.out.w * plan.c * std::min<std::int64_t>(plan.kernel.count(), 16)};
  with_lane_type(plan.type, [&]<typename Lane>() HWY_ATTR {
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      Channels<Lane> pool(plan, streams_past_cache(bytes));
      for (std::int64_t row = begin; row < end; ++row) pool.fill(row);
    });
  });
}

}  // namespace cairn::max_pool_values::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool_values::channels {

const char* why_not(const Plan& plan) {
  constexpr std::int64_t kMostTaps = 1 << 16;
  if (float_lanes() == 1) return "this machine has no vectors";
  if (plan.n * plan.out.count() == 0) return "there are no windows";
  if (plan.c == 1) return "there is one channel";
  if (plan.self.c != 1 || plan.values.c != 1) return "channels do not lie side by side";
  if (plan.in.w > 1 && plan.self.w == 1) return "neighbours along W lie in the same place";
  if (std::max({plan.kernel.d, plan.kernel.h, plan.kernel.w}) > kMostTaps || plan.kernel.count() > kMostTaps)
    return "windows have many taps";
  return nullptr;
}

CAIRN_RUN_KERNEL(run_channels)

}  // namespace cairn::max_pool_values::channels
#endif
