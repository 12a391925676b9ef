// What windows give each of their cells, and the sums of it.

#if defined(CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARES_INL_H_
#undef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARES_INL_H_
#else
#define CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARES_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"
#include "ops/mean_pool_backward/cpu/share_rows.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool_backward::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cairn::HWY_NAMESPACE;

// `count` neighbours divided by the same.
template <typename T>
HWY_INLINE void divide_line(const T* from, std::int64_t count, SumOf<T> divisor, SumOf<T>* HWY_RESTRICT to) {
  const hn::ScalableTag<SumOf<T>> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  const auto by = hn::Set(d, divisor);
  std::int64_t i = 0;
  for (; i + width <= count; i += width) hn::StoreU(hn::Div(load_float(d, from + i), by), d, to + i);
  for (; i < count; ++i) to[i] = widened(from[i]) / divisor;
}

// The shares of a row of windows, which lie `stride` apart.
template <typename T>
HWY_INLINE void make_shares(const Plan& p, const T* from, std::int64_t stride, std::int64_t d, std::int64_t h,
                            SumOf<T>* HWY_RESTRICT to) {
  const RowDivisors<SumOf<T>> divisors(p, d, h);
  if (stride == 1 && p.divisor.is_one()) return divide_line(from, p.w.out, divisors.of(0), to);
  for (std::int64_t w = 0; w < p.w.out; ++w) to[w] = widened(from[w * stride]) / divisors.of(w);
}

template <int kVectors, typename T>
HWY_INLINE void sum_vectors_of(const SumOf<T>* const* lines, std::int64_t count, std::int64_t at,
                               T* HWY_RESTRICT to) {
  const hn::ScalableTag<SumOf<T>> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sums[kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::int64_t line = 0; line < count; ++line)
    for (int v = 0; v < kVectors; ++v) sums[v] = hn::Add(sums[v], hn::LoadU(d, lines[line] + at + v * width));
  for (int v = 0; v < kVectors; ++v) store_sums(d, sums[v], to + at + v * width);
}

// Each cell is the sum of what the lines have at its place, in their order.
template <typename T>
HWY_INLINE void sum_lines_into(const SumOf<T>* const* lines, std::int64_t count, std::int64_t cells,
                               T* HWY_RESTRICT to) {
  const hn::ScalableTag<SumOf<T>> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t at = 0;
  for (; at + 4 * width <= cells; at += 4 * width) sum_vectors_of<4>(lines, count, at, to);
  for (; at + width <= cells; at += width) sum_vectors_of<1>(lines, count, at, to);
  if (at < cells && cells >= width) return sum_vectors_of<1>(lines, count, cells - width, to);
  for (; at < cells; ++at) {
    SumOf<T> sum = 0;
    for (std::int64_t line = 0; line < count; ++line) sum += lines[line][at];
    to[at] = rounded<T>(sum);
  }
}

}  // namespace cairn::mean_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
