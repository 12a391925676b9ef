#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/long_sum.h"
#include "ops/kit/mean_divisor.h"
#include "ops/mean_pool_backward/plan.h"

namespace cairn::mean_pool_backward {

constexpr std::int64_t most_terms(const Plan& p) {
  return p.d.most_windows() * p.h.most_windows() * p.w.most_windows();
}

// A row of cells: of plane (n, c), in slice d, row h.
struct RowPlace {
  std::int64_t n, c, d, h;

  RowPlace(const Plan& p, std::int64_t row, std::int64_t channels)
      : n(row / p.h.in / p.d.in / channels),
        c(row / p.h.in / p.d.in % channels),
        d(row / p.h.in % p.d.in),
        h(row % p.h.in) {}

  template <typename T>
  T* grad_input(const Plan& p) const {
    return static_cast<T*>(p.grad_input.data) + n * p.grad_input.n + c * p.grad_input.c + d * p.grad_input.d +
           h * p.grad_input.h;
  }
};

// Rows of windows that a row of cells needs, made once and kept while the next rows of cells need them too.
template <typename Element>
class KeptRows {
 public:
  // So many along D and H are needed at a time.
  KeptRows(const Plan& p, std::int64_t row_elements)
      : along_d_(std::max<std::int64_t>(p.d.most_windows(), 1)),
        along_h_(std::max<std::int64_t>(p.h.most_windows(), 1)),
        length_(row_elements),
        made_(static_cast<std::size_t>(along_d_ * along_h_), Made{-1, 0, 0}) {
    grow(rows_, along_d_ * along_h_ * length_);
  }

  // Row (d, h) of the windows of a plane; make(row) makes it.
  template <typename Make>
  const Element* row(std::int64_t plane, std::int64_t d, std::int64_t h, const Make& make) {
    const std::int64_t slot = d % along_d_ * along_h_ + h % along_h_;
    Made& made = made_[static_cast<std::size_t>(slot)];
    Element* row = rows_.data() + slot * length_;
    if (made.plane == plane && made.d == d && made.h == h) return row;
    make(row);
    made = {plane, d, h};
    return row;
  }

 private:
  struct Made {
    std::int64_t plane, d, h;
  };

  std::int64_t along_d_, along_h_, length_;
  std::vector<Made> made_;
  Aligned<Element> rows_;
};

}  // namespace cairn::mean_pool_backward
