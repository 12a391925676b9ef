// Windows one or two cells apart along W, with at most 64 taps: neighbouring windows in a vector, each of
// which takes its taps in order.

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool/cpu/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool/cpu/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cairn::HWY_NAMESPACE;

// The rows of a window, first tap of window 0 each; windows lie `kStride` apart.
template <typename T, int kStride>
class RowOfWindows {
 public:
  RowOfWindows(const Plan& plan, std::int64_t row)
      : p_(plan), at_(plan, row), divisors_(plan, at_.d, at_.h), values_(at_.template values<T>(plan)) {
    const T* self = at_.template self<T>(plan);
    const Span d = plan.d.cells(at_.d);
    const Span h = plan.h.cells(at_.h);
    for (std::int64_t i = d.begin; i < d.end; ++i)
      for (std::int64_t j = h.begin; j < h.end; ++j)
        rows_[count_++] = self + i * plan.self.d + j * plan.self.h;
  }

  void pool() {
    const MeanAxis& w = p_.w;
    // The windows that have all of their kernel, and nothing of what lies behind the row.
    const std::int64_t first = std::min((w.padding + kStride - 1) / kStride, w.out);
    const std::int64_t room = w.in + w.padding - w.kernel;
    const std::int64_t last = room < 0 ? 0 : std::min(w.out, room / kStride + 1);
    if (last - first < kLanes) return pool_each(0, w.out);
    pool_each(0, first);
    const float divisor = divisors_.of(first);
    std::int64_t o = first;
    for (; o + 4 * kLanes <= last; o += 4 * kLanes) pool_vectors<4>(o, divisor);
    for (; o + kLanes <= last; o += kLanes) pool_vectors<1>(o, divisor);
    if (o < last) pool_vectors<1>(last - kLanes, divisor);
    pool_each(last, w.out);
  }

 private:
  static constexpr std::int64_t kLanes{hn::MaxLanes(hn::ScalableTag<float>())};

  template <int kVectors>
  HWY_INLINE void pool_vectors(std::int64_t o, float divisor) {
    const hn::ScalableTag<float> d;
    hn::Vec<decltype(d)> sums[kVectors];
    for (auto& sum : sums) sum = hn::Zero(d);
    const std::int64_t begin = o * kStride - p_.w.padding;
    for (std::int64_t i = 0; i < count_; ++i) {
      const T* row = rows_[i] + begin;
      if constexpr (kStride == 1) {
        for (std::int64_t k = 0; k < p_.w.kernel; ++k)
          for (int v = 0; v < kVectors; ++v) sums[v] = OneEach::add(d, sums[v], row + k + v * kLanes);
      } else {
        std::int64_t k = 0;
        for (; k + 1 < p_.w.kernel; k += 2)
          for (int v = 0; v < kVectors; ++v) sums[v] = TwoEach::add(d, sums[v], row + k + v * 2 * kLanes);
        // The pair before has the last tap second, so that nothing behind it is read.
        if (k < p_.w.kernel) {
          for (int v = 0; v < kVectors; ++v) {
            hn::Vec<decltype(d)> even, odd;
            load_second(d, row + k - 1 + v * 2 * kLanes, even, odd);
            sums[v] = hn::Add(sums[v], odd);
          }
        }
      }
    }
    const auto by = hn::Set(d, divisor);
    for (int v = 0; v < kVectors; ++v) store_sums(d, hn::Div(sums[v], by), values_ + o + v * kLanes);
  }

  template <class D>
  static HWY_INLINE void load_second(D d, const T* from, hn::Vec<D>& even, hn::Vec<D>& odd) {
    if constexpr (hn::MaxLanes(D()) == 1) {
      odd = load_float(d, from + 1);
    } else {
      load_pairs(d, from, even, odd);
    }
  }

  // Those at the edges, as the definition reads.
  void pool_each(std::int64_t begin, std::int64_t end) {
    for (std::int64_t o = begin; o < end; ++o) {
      const Span w = p_.w.cells(o);
      float sum = 0;
      for (std::int64_t i = 0; i < count_; ++i)
        for (std::int64_t k = w.begin; k < w.end; ++k) sum += widened(rows_[i][k]);
      values_[o] = rounded<T>(sum / divisors_.of(o));
    }
  }

  const Plan& p_;
  const RowPlace at_;
  const RowDivisors<float> divisors_;
  T* const values_;
  const T* rows_[long_sum::kLanes];
  std::int64_t count_ = 0;
};

void pool_rows(const Plan& plan, Workers& workers) {
  const Units rows{.count = plan.n * plan.c * plan.d.out * plan.h.out,
                   .elements = plan.d.most_cells() * plan.h.most_cells() * plan.w.in};
  with_float_type(plan.type, [&]<typename T>() HWY_ATTR {
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      for (std::int64_t row = begin; row < end; ++row) {
        if (plan.w.stride == 1)
          RowOfWindows<T, 1>(plan, row).pool();
        else
          RowOfWindows<T, 2>(plan, row).pool();
      }
    });
  });
}

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool::rows {

const char* why_not(const Plan& plan) {
  if (plan.self.w != 1 || plan.values.w != 1) return "rows are not contiguous";
  if (plan.w.is_adaptive() || plan.w.stride > 2 || (plan.w.stride == 2 && plan.w.kernel < 2))
    return "windows are not one or two cells apart";
  if (has_long_sums(plan)) return "windows have more than 64 taps";
  if (plan.w.out < 8) return "there are few windows in a row";
  return nullptr;
}

CAIRN_RUN_KERNEL(pool_rows)

}  // namespace cairn::mean_pool::rows
#endif
