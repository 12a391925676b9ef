#pragma once

#include <cstdint>

#include "ops/kit/order_key.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values {

// One window as the definition reads, as a key. `plane` is where its plane begins.
template <typename Lane>
Lane best_of_window(const Plan& p, const WindowAxes& axes, const OrderKey<Lane>& keys, const Lane* plane,
                    const Size3& window) {
  const Span taps_d = axes.d.taps(window.d);
  const Span taps_h = axes.h.taps(window.h);
  const Span taps_w = axes.w.taps(window.w);
  Lane best = OrderKey<Lane>::kLeast;
  for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
    for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j) {
      const Lane* row = plane + axes.d.cell(window.d, i) * p.self.d + axes.h.cell(window.h, j) * p.self.h;
      for (std::int64_t k = taps_w.begin; k < taps_w.end; ++k) {
        const Lane tap = keys.key(row[axes.w.cell(window.w, k) * p.self.w]);
        if (keys.takes_over(tap, best)) best = tap;
      }
    }
  }
  return best;
}

// A row of windows: of plane (n, c), in slice d, row h.
struct RowPlace {
  std::int64_t n, c, d, h;

  RowPlace(const Plan& p, std::int64_t row)
      : n(row / p.out.h / p.out.d / p.c),
        c(row / p.out.h / p.out.d % p.c),
        d(row / p.out.h % p.out.d),
        h(row % p.out.h) {}

  void step(const Plan& p) {
    if (++h < p.out.h) return;
    h = 0;
    if (++d < p.out.d) return;
    d = 0;
    if (++c < p.c) return;
    c = 0;
    ++n;
  }

  template <typename Lane>
  const Lane* plane(const Plan& p) const {
    return static_cast<const Lane*>(p.self.data) + n * p.self.n + c * p.self.c;
  }
  template <typename Lane>
  Lane* values(const Plan& p) const {
    return static_cast<Lane*>(p.values.data) + n * p.values.n + c * p.values.c + d * p.values.d +
           h * p.values.h;
  }
};

}  // namespace cairn::max_pool_values
