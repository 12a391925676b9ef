// The definition, cell by cell: for views and windows that the others do not take.

#include <algorithm>
#include <array>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/long_sum.h"
#include "ops/kit/mean_divisor.h"
#include "ops/mean_pool_backward/plan.h"

namespace cairn::mean_pool_backward::cells {
namespace {

// What each window of a box gives each of its cells.
template <typename T, typename Add>
void each_share(const Plan& p, const T* plane, const Span& d, const Span& h, const Span& w, const Add& add) {
  for (std::int64_t i = d.begin; i < d.end; ++i) {
    for (std::int64_t j = h.begin; j < h.end; ++j) {
      const T* row = plane + i * p.grad_output.d + j * p.grad_output.h;
      const RowDivisors<SumOf<T>> divisors(p, i, j);
      for (std::int64_t k = w.begin; k < w.end; ++k) add(widened(row[k * p.grad_output.w]) / divisors.of(k));
    }
  }
}

// A row of gradInput, and the windows that it lies in.
template <typename T>
struct RowPlace {
  RowPlace(const Plan& p, std::int64_t row)
      : of_d(p.d.windows(row / p.h.in % p.d.in)), of_h(p.h.windows(row % p.h.in)) {
    const std::int64_t plane = row / p.h.in / p.d.in;
    const std::int64_t n = plane / p.c;
    const std::int64_t c = plane % p.c;
    grad_output = static_cast<const T*>(p.grad_output.data) + n * p.grad_output.n + c * p.grad_output.c;
    grad_input = static_cast<T*>(p.grad_input.data) + n * p.grad_input.n + c * p.grad_input.c +
                 row / p.h.in % p.d.in * p.grad_input.d + row % p.h.in * p.grad_input.h;
  }

  Span of_d, of_h;
  const T* grad_output;  // the plane
  T* grad_input;
};

template <typename T>
void sum_row(const Plan& p, std::int64_t row) {
  using Sum = SumOf<T>;
  const RowPlace<T> at(p, row);
  for (std::int64_t w = 0; w < p.w.in; ++w) {
    const Span of_w = p.w.windows(w);
    Sum sum = 0;
    if (at.of_d.size() * at.of_h.size() * of_w.size() <= long_sum::kLanes) {
      each_share(p, at.grad_output, at.of_d, at.of_h, of_w, [&](Sum term) { sum += term; });
    } else {
      LongSum<Sum> all;
      each_share(p, at.grad_output, at.of_d, at.of_h, of_w, [&](Sum term) { all.add(term); });
      sum = all.result();
    }
    at.grad_input[w * p.grad_input.w] = rounded<T>(sum);
  }
}

// Short rows, cells side by side: what a window gives is divided once, and where windows lie along W is found
// once for all rows. A Xeon, microseconds of phase 2: g2-few 1.9 with it (two threads allowed), 3.1 cell by
// cell (one).
template <typename T>
class ShortRows {
 public:
  static bool takes(const Plan& p, std::int64_t most_terms) {
    return p.w.in <= kMost && p.w.out <= kMost && most_terms <= long_sum::kLanes;
  }

  explicit ShortRows(const Plan& p) : p_(p) {
    for (std::int64_t w = 0; w < p.w.in; ++w) windows_[static_cast<std::size_t>(w)] = p.w.windows(w);
  }

  void sum_row(std::int64_t row) const {
    const RowPlace<T> at(p_, row);
    std::array<Sum, kMost> sums{};
    for (std::int64_t i = at.of_d.begin; i < at.of_d.end; ++i) {
      for (std::int64_t j = at.of_h.begin; j < at.of_h.end; ++j)
        add_shares(at.grad_output + i * p_.grad_output.d + j * p_.grad_output.h, i, j, sums.data());
    }
    for (std::int64_t w = 0; w < p_.w.in; ++w)
      at.grad_input[w * p_.grad_input.w] = rounded<T>(sums[static_cast<std::size_t>(w)]);
  }

 private:
  using Sum = SumOf<T>;
  static constexpr std::int64_t kMost = 16;

  void add_shares(const T* grad_output, std::int64_t i, std::int64_t j, Sum* sums) const {
    const RowDivisors<Sum> divisors(p_, i, j);
    Sum shares[kMost];
    for (std::int64_t k = 0; k < p_.w.out; ++k)
      shares[k] = widened(grad_output[k * p_.grad_output.w]) / divisors.of(k);
    for (std::int64_t w = 0; w < p_.w.in; ++w) {
      const Span windows = windows_[static_cast<std::size_t>(w)];
      for (std::int64_t k = windows.begin; k < windows.end; ++k) sums[w] += shares[k];
    }
  }

  const Plan& p_;
  std::array<Span, kMost> windows_;
};

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  constexpr std::int64_t kMany = std::int64_t{1} << 30;
  const std::int64_t terms = plan.d.most_windows() * plan.h.most_windows() * plan.w.most_windows();
  const Units rows{.count = plan.n * plan.c * plan.d.in * plan.h.in,
                   .elements = std::min(terms + 1, kMany) * std::min(plan.w.in, kMany)};
  with_real_type(plan.type, [&]<typename T>() {
    const bool is_short = ShortRows<T>::takes(plan, terms);
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) {
      if (is_short) {
        const ShortRows<T> short_rows(plan);
        for (std::int64_t row = begin; row < end; ++row) short_rows.sum_row(row);
      } else {
        for (std::int64_t row = begin; row < end; ++row) sum_row<T>(plan, row);
      }
    });
  });
  return std::nullopt;
}

}  // namespace cairn::mean_pool_backward::cells
