// The definition, cell by cell: for views and windows that the others do not take.

#include <algorithm>
#include <array>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/known_spans.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/long_sum.h"
#include "ops/kit/mean_divisor.h"
#include "ops/mean_pool_backward/cpu/share_rows.h"
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

template <typename T>
void sum_row(const Plan& p, const RowPlace& at) {
  using Sum = SumOf<T>;
  const T* grad_output = first_window<T>(p, at, 0, 0);
  T* grad_input = at.grad_input<T>(p);
  const Span of_d = p.d.windows(at.d);
  const Span of_h = p.h.windows(at.h);
  for (std::int64_t w = 0; w < p.w.in; ++w) {
    const Span of_w = p.w.windows(w);
    Sum sum = 0;
    if (of_d.size() * of_h.size() * of_w.size() <= long_sum::kLanes) {
      each_share(p, grad_output, of_d, of_h, of_w, [&](Sum term) { sum += term; });
    } else {
      LongSum<Sum> all;
      each_share(p, grad_output, of_d, of_h, of_w, [&](Sum term) { all.add(term); });
      sum = all.result();
    }
    grad_input[w * p.grad_input.w] = rounded<T>(sum);
  }
}

// The windows of a cell along an axis, and the cells of a window.
struct WindowsOf {
  const MeanAxis* axis;
  Span operator()(std::int64_t cell) const { return axis->windows(cell); }
};
struct CellsOf {
  const MeanAxis* axis;
  Span operator()(std::int64_t window) const { return axis->cells(window); }
};

// Short rows, cells side by side: what a window gives is divided once, and where windows lie is found once
// for all rows. A Xeon, least microseconds of phase 2: g2-few 1.33 with it, 1.75 where that is found for
// every row but along W. Cell by cell it takes longer still: 3.1 against 1.9 by an earlier measurement.
template <typename T>
class ShortRows {
 public:
  static bool takes(const Plan& p, std::int64_t most_terms) {
    return p.w.in <= kMost && p.w.out <= kMost && most_terms <= long_sum::kLanes;
  }

  explicit ShortRows(const Plan& p)
      : p_(p),
        of_d_(p.d.in, WindowsOf{&p.d}),
        of_h_(p.h.in, WindowsOf{&p.h}),
        of_w_(p.w.in, WindowsOf{&p.w}),
        in_d_(p.d.out, CellsOf{&p.d}),
        in_h_(p.h.out, CellsOf{&p.h}),
        in_w_(p.w.out, CellsOf{&p.w}) {}

  void sum_row(const RowPlace& at) const {
    const T* grad_output = first_window<T>(p_, at, 0, 0);
    T* grad_input = at.grad_input<T>(p_);
    const Span of_d = of_d_[at.d];
    const Span of_h = of_h_[at.h];
    std::array<Sum, kMost> sums{};
    for (std::int64_t i = of_d.begin; i < of_d.end; ++i) {
      for (std::int64_t j = of_h.begin; j < of_h.end; ++j)
        add_shares(grad_output + i * p_.grad_output.d + j * p_.grad_output.h, i, j, sums.data());
    }
    for (std::int64_t w = 0; w < p_.w.in; ++w)
      grad_input[w * p_.grad_input.w] = rounded<T>(sums[static_cast<std::size_t>(w)]);
  }

 private:
  using Sum = SumOf<T>;
  static constexpr std::int64_t kMost = 16;

  // Of window (i, j, k), whose first two axes have so many taps.
  Sum divisor(std::int64_t taps, std::int64_t i, std::int64_t j, std::int64_t k) const {
    if (p_.divisor.by_taps) return static_cast<Sum>(taps * in_w_[k].size());
    return static_cast<Sum>(p_.divisor.of(i + 1 == p_.d.out, j + 1 == p_.h.out, k + 1 == p_.w.out));
  }

  void add_shares(const T* grad_output, std::int64_t i, std::int64_t j, Sum* sums) const {
    const std::int64_t taps = p_.divisor.by_taps ? in_d_[i].size() * in_h_[j].size() : 0;
    Sum shares[kMost];
    for (std::int64_t k = 0; k < p_.w.out; ++k)
      shares[k] = widened(grad_output[k * p_.grad_output.w]) / divisor(taps, i, j, k);
    for (std::int64_t w = 0; w < p_.w.in; ++w) {
      const Span windows = of_w_[w];
      for (std::int64_t k = windows.begin; k < windows.end; ++k) sums[w] += shares[k];
    }
  }

  const Plan& p_;
  const KnownSpans<WindowsOf> of_d_, of_h_, of_w_;
  const KnownSpans<CellsOf> in_d_, in_h_, in_w_;
};

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  constexpr std::int64_t kMany = std::int64_t{1} << 30;
  const std::int64_t terms = most_terms(plan);
  const Units rows{.count = plan.n * plan.c * plan.d.in * plan.h.in,
                   .elements = std::min(terms + 1, kMany) * std::min(plan.w.in, kMany)};
  with_real_type(plan.type, [&]<typename T>() {
    const bool is_short = ShortRows<T>::takes(plan, terms);
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) {
      RowPlace at(plan, begin, plan.c);
      if (is_short) {
        const ShortRows<T> short_rows(plan);
        for (std::int64_t row = begin; row < end; ++row, at.step(plan, plan.c)) short_rows.sum_row(at);
      } else {
        for (std::int64_t row = begin; row < end; ++row, at.step(plan, plan.c)) sum_row<T>(plan, at);
      }
    });
  });
  return std::nullopt;
}

}  // namespace cairn::mean_pool_backward::cells
