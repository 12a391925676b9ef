// Sums of lines, a few side by side: lane l of a vector adds the terms of line l in order. Lines are read
// four terms at a time and turned around in registers.

#if defined(CAIRN_OPS_MEAN_POOL_CPU_LINE_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MEAN_POOL_CPU_LINE_SUMS_INL_H_
#undef CAIRN_OPS_MEAN_POOL_CPU_LINE_SUMS_INL_H_
#else
#define CAIRN_OPS_MEAN_POOL_CPU_LINE_SUMS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cairn::HWY_NAMESPACE;

// A sum each: 8 lines, or 4 where vectors are short, or one where there are none.
using Lines = hn::CappedTag<float, 8>;
constexpr std::int64_t kLines{hn::MaxLanes(Lines())};
constexpr std::int64_t kQuad = 4;  // terms read at a time

#if HWY_TARGET != HWY_SCALAR
// Terms `at` to `at + 3` of all lines, as four vectors.
template <typename T>
HWY_INLINE void load_quads(const T* const* lines, std::int64_t at, hn::Vec<Lines> (&terms)[kQuad]) {
  const Lines d;
  const hn::Repartition<double, Lines> pairs;
  const hn::CappedTag<float, kQuad> quad;
  hn::Vec<Lines> rows[kQuad];
  for (std::int64_t i = 0; i < kQuad; ++i) {
    if constexpr (kLines == kQuad) {
      rows[i] = load_float(quad, lines[i] + at);
    } else {
      rows[i] = hn::Combine(d, load_float(quad, lines[kQuad + i] + at), load_float(quad, lines[i] + at));
    }
  }
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[0], rows[1]));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[0], rows[1]));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[2], rows[3]));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[2], rows[3]));
  terms[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  terms[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  terms[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  terms[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}
#endif

// Adds the first `count` terms of every line. Of fewer than four, the lines have others behind them, or in
// front of them where `others_before`.
template <typename T>
HWY_INLINE hn::Vec<Lines> add_lines_of(hn::Vec<Lines> sums, const T* const* lines, std::int64_t count,
                                       [[maybe_unused]] bool others_before) {
#if HWY_TARGET == HWY_SCALAR
  for (std::int64_t i = 0; i < count; ++i) sums = hn::Add(sums, load_float(Lines(), lines[0] + i));
#else
  hn::Vec<Lines> terms[kQuad];
  std::int64_t at = 0;
  for (; at + kQuad <= count; at += kQuad) {
    load_quads(lines, at, terms);
    for (const auto& term : terms) sums = hn::Add(sums, term);
  }
  const std::int64_t rest = count - at;
  if (rest == 0) return sums;
  if (count >= kQuad || others_before) {
    load_quads(lines, count - kQuad, terms);
    if (rest == 3) sums = hn::Add(sums, terms[1]);
    if (rest >= 2) sums = hn::Add(sums, terms[2]);
    return hn::Add(sums, terms[3]);
  }
  load_quads(lines, 0, terms);
  sums = hn::Add(sums, terms[0]);
  if (rest >= 2) sums = hn::Add(sums, terms[1]);
  if (rest == 3) sums = hn::Add(sums, terms[2]);
#endif
  return sums;
}

// The same of lines with so many terms each, `most` at the most; all may be read to the next multiple of
// four.
template <typename T>
HWY_INLINE hn::Vec<Lines> add_lines_of(hn::Vec<Lines> sums, const T* const* lines, hn::Vec<Lines> counts,
                                       std::int64_t most) {
  const Lines d;
#if HWY_TARGET == HWY_SCALAR
  (void)counts;
  for (std::int64_t i = 0; i < most; ++i) sums = hn::Add(sums, load_float(d, lines[0] + i));
#else
  hn::Vec<Lines> terms[kQuad];
  for (std::int64_t at = 0; at < most; at += kQuad) {
    load_quads(lines, at, terms);
    for (std::int64_t i = 0; i < kQuad; ++i) {
      const auto is_there = hn::Lt(hn::Set(d, static_cast<float>(at + i)), counts);
      sums = hn::Add(sums, hn::IfThenElseZero(is_there, terms[i]));
    }
  }
#endif
  return sums;
}

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
