// The definition, window by window: for views and windows that the others do not take.

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool/cpu/windows.h"

namespace cairn::mean_pool::cells {
namespace {

template <typename T>
void pool_row(const Plan& p, std::int64_t row) {
  const RowPlace at(p, row);
  const T* self = at.self<T>(p);
  T* values = at.values<T>(p);
  const RowDivisors<float> divisors(p, at.d, at.h);
  const Span in_d = p.d.cells(at.d);
  const Span in_h = p.h.cells(at.h);
  for (std::int64_t w = 0; w < p.w.out; ++w)
    values[w * p.values.w] = rounded<T>(window_sum(p.self, self, in_d, in_h, p.w.cells(w)) / divisors.of(w));
}

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  constexpr std::int64_t kMany = std::int64_t{1} << 30;
  const std::int64_t taps = most_taps(plan);
  const Units rows{.count = plan.n * plan.c * plan.d.out * plan.h.out,
                   .elements = std::min(taps, kMany) * std::min(plan.w.out, kMany)};
  with_float_type(plan.type, [&]<typename T>() {
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) pool_row<T>(plan, row);
    });
  });
  return std::nullopt;
}

}  // namespace cairn::mean_pool::cells
