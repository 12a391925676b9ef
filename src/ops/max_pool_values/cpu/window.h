#pragma once

#include <cstdint>

#include "ops/kit/cpu/plane_row.h"
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

struct RowPlace : PlaneRow {  // of windows
  RowPlace(const Plan& p, std::int64_t row) : PlaneRow(counts(p), row) {}
  void step(const Plan& p) { PlaneRow::step(counts(p)); }

  template <typename Lane>
  const Lane* plane(const Plan& p) const {
    return plane_of<Lane>(p.self);
  }
  template <typename Lane>
  Lane* values(const Plan& p) const {
    return row_of<Lane>(p.values);
  }

 private:
  static Counts counts(const Plan& p) { return {p.c, p.out.d, p.out.h}; }
};

}  // namespace cairn::max_pool_values
