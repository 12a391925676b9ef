#pragma once

#include <cstdint>

#include "ops/kit/mean_axis.h"

namespace cairn {

// What the windows of one row are divided by: slice d, row h of the windows of a plan of mean pooling.
template <typename Sum>
class RowDivisors {
 public:
  template <typename Plan>
  constexpr RowDivisors(const Plan& plan, std::int64_t d, std::int64_t h)
      : w_(plan.w),
        by_taps_(plan.divisor.by_taps),
        // Taps of two axes at the most a plane has.
        taps_(by_taps_ ? plan.d.cells(d).size() * plan.h.cells(h).size() : 0),
        usual_(static_cast<Sum>(plan.divisor.of(d + 1 == plan.d.out, h + 1 == plan.h.out, false))),
        last_(static_cast<Sum>(plan.divisor.of(d + 1 == plan.d.out, h + 1 == plan.h.out, true))) {}

  constexpr Sum of(std::int64_t w) const {
    if (by_taps_) return static_cast<Sum>(taps_ * w_.cells(w).size());
    return w + 1 == w_.out ? last_ : usual_;
  }

 private:
  const MeanAxis& w_;
  bool by_taps_;
  std::int64_t taps_;
  Sum usual_, last_;
};

}  // namespace cairn
