// The definition, cell by cell: for windows and rows that the others do not take.

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/split.h"
#include "ops/max_pool_values/cpu/window.h"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values::cells {
namespace {

// Four neighbours along W that have all of their taps are computed together, tap after tap: whether one takes
// over is then no branch that must be foreseen. A Xeon, least microseconds of phase 2: m2-few 2.1 with
// it, 2.6 window by window.
template <typename Lane>
class Rows {
 public:
  explicit Rows(const Plan& plan) : p_(plan), axes_(plan), keys_(plan.type), whole_(whole(axes_.w)) {}

  void fill(const RowPlace& at) const {
    const Lane* plane = at.plane<Lane>(p_);
    Lane* values = at.values<Lane>(p_);
    for (std::int64_t w = 0; w < p_.out.w;) {
      const std::int64_t count = whole_.has(w) ? std::min(kTogether, whole_.end - w) : 1;
      Lane best[kTogether];
      if (count == 1) {
        best[0] = best_of_window(p_, axes_, keys_, plane, {at.d, at.h, w});
      } else {
        find(plane, {at.d, at.h, w}, count, best);
      }
      for (std::int64_t i = 0; i < count; ++i, ++w) values[w * p_.values.w] = keys_.bits(best[i]);
    }
  }

 private:
  static constexpr std::int64_t kTogether = 4;
  using Bits = typename OrderKey<Lane>::Bits;

  // The windows that have all of their taps.
  static Span whole(const WindowAxis& axis) {
    if (axis.is_uneven() || axis.extent > axis.in) return {};
    const std::int64_t first = (axis.padding + axis.stride - 1) / axis.stride;
    return {first, std::min((axis.in - axis.extent + axis.padding) / axis.stride + 1, axis.out)};
  }

  // Of `count` windows from `window` on; where they are fewer than four, the last is there again.
  void find(const Lane* plane, const Size3& window, std::int64_t count, Lane* best) const {
    const Span taps_d = axes_.d.taps(window.d);
    const Span taps_h = axes_.h.taps(window.h);
    const Size3 start{axes_.d.start(window.d), axes_.h.start(window.h), axes_.w.start(window.w)};
    std::int64_t places[kTogether];
    for (std::int64_t i = 0; i < kTogether; ++i)
      places[i] = std::min(i, count - 1) * axes_.w.stride * p_.self.w;
    Leaders leaders(keys_);
    for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
      for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j) {
        const Lane* row = plane + (start.d + i * axes_.d.dilation) * p_.self.d +
                          (start.h + j * axes_.h.dilation) * p_.self.h + start.w * p_.self.w;
        for (std::int64_t k = 0; k < axes_.w.kernel; ++k, row += axes_.w.dilation * p_.self.w) {
          Lane taps[kTogether];
          for (std::int64_t n = 0; n < kTogether; ++n) taps[n] = row[places[n]];
          leaders.meet(taps);
        }
      }
    }
    std::copy_n(leaders.keys, kTogether, best);
  }

  // OrderKey::takes_over without branches: both zeros count as one number, and none is larger than a NaN.
  struct Leaders {
    const OrderKey<Lane> order;
    const Lane minus_zero = static_cast<Lane>(static_cast<Bits>(static_cast<Bits>(order.zero()) - 1U));
    const Lane to_zero = order.floating ? 1 : 0;
    Lane keys[kTogether];
    Lane numbers[kTogether];

    explicit Leaders(const OrderKey<Lane>& type) : order(type) {
      std::fill_n(keys, kTogether, OrderKey<Lane>::kLeast);
      std::fill_n(numbers, kTogether, OrderKey<Lane>::kLeast);
    }

    void meet(const Lane* taps) {
      for (std::int64_t n = 0; n < kTogether; ++n) {
        const Lane key = order.key(taps[n]);
        const auto number = static_cast<Lane>(key + (key == minus_zero ? to_zero : Lane{0}));
        const int takes_over = (number > numbers[n] ? 1 : 0) | (order.is_nan(key) ? 1 : 0);
        keys[n] = either(takes_over, key, keys[n]);
        numbers[n] = either(takes_over, number, numbers[n]);
      }
    }
    // As bits: a compiler makes a branch of anything else.
    static Lane either(int first, Lane one, Lane other) {
      return static_cast<Lane>(other ^ ((one ^ other) & static_cast<Lane>(-first)));
    }
  };

  const Plan& p_;
  const WindowAxes axes_;
  const OrderKey<Lane> keys_;
  const Span whole_;  // along W
};

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  constexpr std::int64_t kMany = std::int64_t{1} << 30;
  const std::int64_t taps = std::min(plan.kernel.d, plan.in.d) * std::min(plan.kernel.h, plan.in.h) *
                            std::min(plan.kernel.w, plan.in.w);
  const Units rows{.count = plan.n * plan.c * plan.out.d * plan.out.h,
                   .elements = std::min(taps, kMany) * std::min(plan.out.w, kMany)};
  with_lane_type(plan.type, [&]<typename Lane>() {
    const Rows<Lane> all(plan);
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) {
      RowPlace place(plan, begin);
      for (std::int64_t row = begin; row < end; ++row, place.step(plan)) all.fill(place);
    });
  });
  return std::nullopt;
}

}  // namespace cairn::max_pool_values::cells
