// The definition, cell by cell: for views and windows that the others do not take.

#include <algorithm>
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

template <typename T>
void sum_row(const Plan& p, std::int64_t row) {
  using Sum = SumOf<T>;
  const std::int64_t h = row % p.h.in;
  const std::int64_t d = row / p.h.in % p.d.in;
  const std::int64_t plane = row / p.h.in / p.d.in;
  const std::int64_t n = plane / p.c;
  const std::int64_t c = plane % p.c;
  const T* grad_output =
      static_cast<const T*>(p.grad_output.data) + n * p.grad_output.n + c * p.grad_output.c;
  T* grad_input = static_cast<T*>(p.grad_input.data) + n * p.grad_input.n + c * p.grad_input.c +
                  d * p.grad_input.d + h * p.grad_input.h;
  const Span of_d = p.d.windows(d);
  const Span of_h = p.h.windows(h);
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

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  constexpr std::int64_t kMany = std::int64_t{1} << 30;
  const std::int64_t terms = plan.d.most_windows() * plan.h.most_windows() * plan.w.most_windows();
  const Units rows{.count = plan.n * plan.c * plan.d.in * plan.h.in,
                   .elements = std::min(terms + 1, kMany) * std::min(plan.w.in, kMany)};
  with_real_type(plan.type, [&]<typename T>() {
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) sum_row<T>(plan, row);
    });
  });
  return std::nullopt;
}

}  // namespace cairn::mean_pool_backward::cells
