// The definition, window by window: for views and windows that the others do not take.

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/known_spans.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool/cpu/windows.h"

namespace cairn::mean_pool::cells {
namespace {

// Where the windows of an axis lie.
struct CellsOf {
  const MeanAxis* axis;
  Span operator()(std::int64_t window) const { return axis->cells(window); }
};

// Rows of windows; where those of short axes lie is found once. A Xeon, least microseconds of phase 2 with
// this candidate: g2-few, which now takes boxes, 1.09 with it, 1.37 where every row finds its own.
template <typename T>
class Rows {
 public:
  explicit Rows(const Plan& p)
      : p_(p), d_(p.d.out, CellsOf{&p.d}), h_(p.h.out, CellsOf{&p.h}), w_(p.w.out, CellsOf{&p.w}) {}

  void pool(const RowPlace& at) const {
    const T* self = at.self<T>(p_);
    T* values = at.values<T>(p_);
    const Span in_d = d_[at.d];
    const Span in_h = h_[at.h];
    for (std::int64_t w = 0; w < p_.w.out; ++w) {
      const Span in_w = w_[w];
      const float divisor = p_.divisor.by_taps
                                ? static_cast<float>(in_d.size() * in_h.size() * in_w.size())
                                : static_cast<float>(p_.divisor.of(at.d + 1 == p_.d.out, at.h + 1 == p_.h.out,
                                                                   w + 1 == p_.w.out));
      values[w * p_.values.w] = rounded<T>(window_sum(p_.self, self, in_d, in_h, in_w) / divisor);
    }
  }

 private:
  const Plan& p_;
  const KnownSpans<CellsOf> d_, h_, w_;
};

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  constexpr std::int64_t kMany = std::int64_t{1} << 30;
  const std::int64_t taps = most_taps(plan);
  const Units rows{.count = plan.n * plan.c * plan.d.out * plan.h.out,
                   .elements = std::min(taps, kMany) * std::min(plan.w.out, kMany)};
  with_float_type(plan.type, [&]<typename T>() {
    const Rows<T> all(plan);
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) {
      RowPlace at(plan, begin);
      for (std::int64_t row = begin; row < end; ++row, at.step(plan)) all.pool(at);
    });
  });
  return std::nullopt;
}

}  // namespace cairn::mean_pool::cells
