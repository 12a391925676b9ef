// Sums of lines, a few side by side: lane l of a vector adds the terms of line l in order. Lines are read
// four terms at a time and turned around in registers.

#if defined(CAIRN_OPS_MEAN_POOL_CPU_LINE_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MEAN_POOL_CPU_LINE_SUMS_INL_H_
#undef CAIRN_OPS_MEAN_POOL_CPU_LINE_SUMS_INL_H_
#else
#define CAIRN_OPS_MEAN_POOL_CPU_LINE_SUMS_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

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
constexpr std::int64_t kOct = 8;   // terms of halves, where there are lines enough

#if HWY_TARGET != HWY_SCALAR
// Four terms of line i, of line i + 4, and so on.
template <class D, typename T>
HWY_INLINE hn::Vec<D> load_lines(D d, const T* const* lines, std::int64_t at) {
  if constexpr (hn::MaxLanes(D()) == kQuad) {
    return load_float(d, lines[0] + at);
  } else {
    const hn::Half<D> half;
    constexpr auto kOthers = static_cast<std::int64_t>(hn::MaxLanes(D())) / 2;
    return hn::Combine(d, load_lines(half, lines + kOthers, at), load_lines(half, lines, at));
  }
}

// Terms `at` to `at + 3` of all lines, as four vectors.
template <typename T>
HWY_INLINE void load_quads(const T* const* lines, std::int64_t at, hn::Vec<Lines> (&terms)[kQuad]) {
  const Lines d;
  const hn::Repartition<double, Lines> pairs;
  hn::Vec<Lines> rows[kQuad];
  for (std::int64_t i = 0; i < kQuad; ++i) rows[i] = load_lines(d, lines + i, at);
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[0], rows[1]));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[0], rows[1]));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[2], rows[3]));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[2], rows[3]));
  terms[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  terms[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  terms[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  terms[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}

// Halves are turned around before they are widened: terms `at` to `at + 7` of all lines.
template <typename T>
constexpr bool kHasOcts = sizeof(T) == 2 && kLines >= kOct;
template <typename T>
HWY_INLINE void load_octs(const T* const* lines, std::int64_t at, hn::Vec<Lines> (&terms)[kOct]) {
  const Lines d;
  const HalfBits<Lines> d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const hn::RepartitionToWide<decltype(d32)> d64;
  using V16 = hn::Vec<decltype(d16)>;
  const hn::CappedTag<std::uint16_t, kOct> oct;
  const auto load = [&](std::int64_t line) HWY_ATTR {
    return hn::LoadU(oct, reinterpret_cast<const std::uint16_t*>(lines[line] + at));
  };
  V16 rows[kOct];
  for (std::int64_t i = 0; i < kOct; ++i) {
    if constexpr (kLines == kOct) {
      rows[i] = load(i);
    } else {
      rows[i] = hn::Combine(d16, load(i + kOct), load(i));
    }
  }
  hn::Vec<decltype(d32)> pairs[kOct];
  for (std::size_t i = 0; i < 4; ++i) {
    pairs[i] = hn::BitCast(d32, hn::InterleaveLower(d16, rows[2 * i], rows[2 * i + 1]));
    pairs[4 + i] = hn::BitCast(d32, hn::InterleaveUpper(d16, rows[2 * i], rows[2 * i + 1]));
  }
  for (int half = 0; half < 2; ++half) {
    const auto* p = half == 0 ? pairs : pairs + 4;
    const auto low01 = hn::BitCast(d64, hn::InterleaveLower(d32, p[0], p[1]));
    const auto high01 = hn::BitCast(d64, hn::InterleaveUpper(d32, p[0], p[1]));
    const auto low23 = hn::BitCast(d64, hn::InterleaveLower(d32, p[2], p[3]));
    const auto high23 = hn::BitCast(d64, hn::InterleaveUpper(d32, p[2], p[3]));
    const V16 columns[4] = {hn::BitCast(d16, hn::InterleaveLower(d64, low01, low23)),
                            hn::BitCast(d16, hn::InterleaveUpper(d64, low01, low23)),
                            hn::BitCast(d16, hn::InterleaveLower(d64, high01, high23)),
                            hn::BitCast(d16, hn::InterleaveUpper(d64, high01, high23))};
    for (int i = 0; i < 4; ++i) terms[4 * half + i] = widen_half<T>(d, columns[i]);
  }
}
#endif

// Adds `count` terms of every line, from `first` on, to the sums of kVectors times kLines lines: while one
// addition ends others go on. Of fewer than four terms, the lines have others behind them, or in front of
// them where `others_before`. Calls after(terms) whenever so many terms of every line were added.
template <int kVectors, typename T, typename After>
HWY_INLINE void add_lines_of(hn::Vec<Lines> (&sums)[kVectors], const T* const* lines, std::int64_t first,
                             std::int64_t count, [[maybe_unused]] bool others_before,
                             [[maybe_unused]] const After& after) {
#if HWY_TARGET == HWY_SCALAR
  for (std::int64_t i = 0; i < count; ++i)
    for (int v = 0; v < kVectors; ++v) sums[v] = hn::Add(sums[v], load_float(Lines(), lines[v] + first + i));
#else
  std::int64_t at = first;
  const std::int64_t end = first + count;
  if constexpr (kHasOcts<T>) {
    for (; at + kOct <= end; at += kOct) {
      for (int v = 0; v < kVectors; ++v) {
        hn::Vec<Lines> terms[kOct];
        load_octs(lines + v * kLines, at, terms);
        for (const auto& term : terms) sums[v] = hn::Add(sums[v], term);
      }
      after(kOct);
    }
  }
  // Terms `begin` to `stop` of the four from `from` on.
  const auto add = [&](std::int64_t from, std::int64_t begin, std::int64_t stop) HWY_ATTR {
    for (int v = 0; v < kVectors; ++v) {
      hn::Vec<Lines> terms[kQuad];
      load_quads(lines + v * kLines, from, terms);
      for (std::int64_t i = begin; i < stop; ++i) sums[v] = hn::Add(sums[v], terms[i]);
    }
    after(stop - begin);
  };
  for (; at + kQuad <= end; at += kQuad) add(at, 0, kQuad);
  const std::int64_t rest = end - at;
  if (rest == 0) return;
  if (count >= kQuad || others_before)
    add(end - kQuad, kQuad - rest, kQuad);
  else
    add(first, 0, rest);
#endif
}

// The same of lines with so many terms each, `most` at the most; all may be read to the next multiple of
// four.
template <typename T>
HWY_INLINE hn::Vec<Lines> add_lines_of(hn::Vec<Lines> sums, const T* const* lines, std::int64_t first,
                                       hn::Vec<Lines> counts, std::int64_t most) {
  const Lines d;
#if HWY_TARGET == HWY_SCALAR
  (void)counts;
  for (std::int64_t i = 0; i < most; ++i) sums = hn::Add(sums, load_float(d, lines[0] + first + i));
#else
  hn::Vec<Lines> terms[kQuad];
  for (std::int64_t at = 0; at < most; at += kQuad) {
    load_quads(lines, first + at, terms);
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
