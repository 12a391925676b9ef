// Lines of twice as many positions as cells: quarters and three quarters, without a table.

#if defined(CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLING_INL_H_
#undef CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLING_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLING_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/resample/sums-inl.h"
#include "ops/kit/span.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Shuffles of a line, made once for all its vectors.
template <class D>
class LineShuffles {
  using V = hn::Vec<D>;
  using DI = hn::RebindToSigned<D>;
  using Index = hn::TFromD<DI>;

 public:
  HWY_INLINE LineShuffles() {
    const DI di;
    const auto lanes = static_cast<Index>(hn::Lanes(di));
    const auto lane = hn::Iota(di, 0);
    const auto is_odd = hn::Eq(hn::And(lane, hn::Set(di, 1)), hn::Set(di, 1));
    const auto half = hn::ShiftRight<1>(lane);
    before_ = hn::Iota(di, static_cast<Index>(lanes - 1));
    after_ = hn::Iota(di, 1);
    low_ = hn::IfThenElse(is_odd, hn::Add(half, hn::Set(di, lanes)), half);
    high_ = hn::Add(low_, hn::Set(di, static_cast<Index>(lanes / 2)));
  }

  // What lies one place before the lanes of `v`, which follows `previous`; and one place after them, `next`
  // following.
  HWY_INLINE V before(V previous, V v) const { return pick_from_two(D(), previous, v, before_); }
  HWY_INLINE V after(V v, V next) const { return pick_from_two(D(), v, next, after_); }

  // The lanes of two vectors in turn.
  template <typename T>
  HWY_INLINE void store_in_turn(V even, V odd, T* to) const {
#if HWY_TARGET <= HWY_AVX3
    hn::StoreU(pick_from_two(D(), even, odd, low_), D(), to);
    hn::StoreU(pick_from_two(D(), even, odd, high_), D(), to + hn::Lanes(D()));
#else
    hn::StoreInterleaved2(even, odd, D(), to);
#endif
  }

 private:
  hn::Vec<DI> before_, after_, low_, high_;
};

template <class D, typename In>
HWY_INLINE void load_in_turn(D d, const In* from, hn::Vec<D>& even, hn::Vec<D>& odd) {
  // Without a shuffle.
  if constexpr (std::is_same_v<In, Bfloat16>) return load_pairs(d, from, even, odd);
  const auto low = load_float(d, from);
  const auto high = load_float(d, from + hn::Lanes(d));
  even = hn::ConcatEven(d, high, low);
  odd = hn::ConcatOdd(d, high, low);
}
#endif

// There are as many cells as lanes at least; the last vector may double some of the one before again. The
// outer positions are the outer cells themselves; they are put into their vectors, since a vector of which a
// part has just been stored is slow to load.
template <class D, typename In, typename T = hn::TFromD<D>>
HWY_INLINE void double_line([[maybe_unused]] D d, [[maybe_unused]] std::int64_t cells,
                            [[maybe_unused]] const In* HWY_RESTRICT line,
                            [[maybe_unused]] T* HWY_RESTRICT to) {
#if HWY_TARGET != HWY_SCALAR
  const auto three_quarters = hn::Set(d, T{0.75});
  const auto quarter = hn::Set(d, T{0.25});
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const LineShuffles<D> shuffles;
  for (std::int64_t i = 0; i < cells; i += lanes) {
    i = std::min(i, cells - lanes);
    const auto cell = load_float(d, line + i);
    const auto before = i > 0 ? load_float(d, line + i - 1) : shuffles.before(cell, cell);
    const auto after = i + lanes < cells ? load_float(d, line + i + 1) : shuffles.after(cell, cell);
    const auto own = hn::Mul(three_quarters, cell);
    auto even = hn::Add(hn::Mul(quarter, before), own);
    auto odd = hn::Add(own, hn::Mul(quarter, after));
    if (i == 0) even = hn::IfThenElse(hn::FirstN(d, 1), cell, even);
    if (i + lanes >= cells) odd = hn::IfThenElse(hn::FirstN(d, hn::Lanes(d) - 1), odd, cell);
    shuffles.store_in_turn(even, odd, to + 2 * i);
  }
#endif
}

// Its transpose: what the positions give back to each cell, ascending. Sums begin with the first term: of all
// zeros the last pass makes +0.0.
template <class D>
HWY_INLINE hn::Vec<D> undoubled(D d, hn::Vec<D> before, hn::Vec<D> even, hn::Vec<D> odd, hn::Vec<D> after) {
  const auto three_quarters = hn::Set(d, hn::TFromD<D>{0.75});
  const auto quarter = hn::Set(d, hn::TFromD<D>{0.25});
  auto sum = hn::Add(hn::Mul(quarter, before), hn::Mul(three_quarters, even));
  sum = hn::Add(sum, hn::Mul(three_quarters, odd));
  return hn::Add(sum, hn::Mul(quarter, after));
}
// The same of a vector that begins or ends with an outer cell: the outer position is its alone.
template <class D>
HWY_INLINE hn::Vec<D> undoubled_outer(D d, bool begins, bool ends, hn::Vec<D> before, hn::Vec<D> even,
                                      hn::Vec<D> odd, hn::Vec<D> after) {
  const auto three_quarters = hn::Set(d, hn::TFromD<D>{0.75});
  const auto quarter = hn::Set(d, hn::TFromD<D>{0.25});
  const auto first = hn::FirstN(d, begins ? 1 : 0);
  const auto inner = hn::FirstN(d, hn::Lanes(d) - (ends ? 1 : 0));
  auto sum = hn::Add(hn::Mul(quarter, before), hn::Mul(three_quarters, even));
  sum = hn::IfThenElse(first, even, sum);
  sum = hn::Add(sum, hn::IfThenElse(inner, hn::Mul(three_quarters, odd), odd));
  return hn::IfThenElse(inner, hn::Add(sum, hn::Mul(quarter, after)), sum);
}

template <class D, typename In, typename T = hn::TFromD<D>>
HWY_INLINE void undouble_line([[maybe_unused]] D d, [[maybe_unused]] std::int64_t cells,
                              [[maybe_unused]] const In* HWY_RESTRICT line,
                              [[maybe_unused]] T* HWY_RESTRICT to) {
#if HWY_TARGET != HWY_SCALAR
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const LineShuffles<D> shuffles;
  hn::Vec<D> even, odd;
  load_in_turn(d, line, even, odd);
  auto before = shuffles.before(odd, odd);
  std::int64_t i = 0;
  for (; i + 2 * lanes <= cells; i += lanes) {
    hn::Vec<D> next_even, next_odd;
    load_in_turn(d, line + 2 * (i + lanes), next_even, next_odd);
    const auto after = shuffles.after(even, next_even);
    hn::StoreU(i == 0 ? undoubled_outer(d, true, false, before, even, odd, after)
                      : undoubled(d, before, even, odd, after),
               d, to + i);
    before = shuffles.before(odd, next_odd);
    even = next_even;
    odd = next_odd;
  }
  const bool is_last = i + lanes == cells;
  const auto next = is_last ? even : hn::Set(d, widened(line[2 * (i + lanes)]));
  hn::StoreU(undoubled_outer(d, i == 0, is_last, before, even, odd, shuffles.after(even, next)), d, to + i);
  if (!is_last) {
    // Some of these cells are those of the vector before.
    i = cells - lanes;
    load_in_turn(d, line + 2 * i, even, odd);
    before = shuffles.before(hn::Set(d, widened(line[2 * i - 1])), odd);
    hn::StoreU(undoubled_outer(d, false, true, before, even, odd, shuffles.after(even, even)), d, to + i);
  }
#endif
}

// The same with cubic weights: four cells to a position, those of even and of odd ones mirrored. There are
// more cells than lanes and two; the outer positions, whose cells are fewer, are the caller's.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void double_line_cubic([[maybe_unused]] D d, [[maybe_unused]] std::int64_t cells,
                                  [[maybe_unused]] const T* even_weights,
                                  [[maybe_unused]] const T* odd_weights,
                                  [[maybe_unused]] const T* HWY_RESTRICT line,
                                  [[maybe_unused]] T* HWY_RESTRICT to) {
#if HWY_TARGET != HWY_SCALAR
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const LineShuffles<D> shuffles;
  hn::Vec<D> weights[2][4];
  for (int i = 0; i < 4; ++i) {
    weights[0][i] = hn::Set(d, even_weights[i]);
    weights[1][i] = hn::Set(d, odd_weights[i]);
  }
  for (std::int64_t i = 0; i < cells; i += lanes) {
    i = std::min(i, cells - lanes);
    const bool begins = i == 0;
    const bool ends = i + lanes == cells;
    hn::Vec<D> near[5];  // from two cells before to two behind
    near[2] = hn::LoadU(d, line + i);
    near[1] = begins ? shuffles.before(near[2], near[2]) : hn::LoadU(d, line + i - 1);
    near[0] = begins ? shuffles.before(near[1], near[1]) : hn::LoadU(d, line + i - 2);
    near[3] = ends ? shuffles.after(near[2], near[2]) : hn::LoadU(d, line + i + 1);
    near[4] = i + lanes + 2 > cells ? shuffles.after(near[3], near[3]) : hn::LoadU(d, line + i + 2);
    hn::Vec<D> sums[2];
    for (int odd = 0; odd < 2; ++odd) {
      sums[odd] = hn::Mul(weights[odd][0], near[odd]);
      for (int tap = 1; tap < 4; ++tap)
        sums[odd] = hn::Add(sums[odd], hn::Mul(weights[odd][tap], near[odd + tap]));
    }
    shuffles.store_in_turn(sums[0], sums[1], to + 2 * i);
  }
#endif
}

// Two vectors of sums, through the cache or past it.
template <class Put, class D, typename E>
HWY_INLINE void put_vectors(D d, hn::Vec<D> low, hn::Vec<D> high, E* to) {
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<Put, Streamed> && sizeof(E) == 2 && hn::MaxLanes(D()) * sizeof(E) >= 16) {
    // Halves fill one: where several rows are written in turn, half lines take twice as long.
    const hn::Repartition<std::uint16_t, D> whole;
    const auto narrow = [d](hn::Vec<D> sums) HWY_ATTR {
      if constexpr (std::is_same_v<E, Float16>)
        return narrow_to_float16(d, with_one_nan(d, sums));
      else
        return narrow_to_bfloat16(d, sums);
    };
    hn::Stream(hn::Combine(whole, narrow(high), narrow(low)), whole, reinterpret_cast<std::uint16_t*>(to));
    return;
  }
#endif
  Put::put(d, low, to);
  Put::put(d, high, to + hn::Lanes(d));
}

// Prefetches elements as far ahead as memory takes to bring them.
template <typename In>
HWY_INLINE void prefetch_ahead(const In* from, std::int64_t count) {
  constexpr std::uintptr_t kAhead = 4096;
  constexpr std::uintptr_t kLine = 64;
  const auto begin = reinterpret_cast<std::uintptr_t>(from) + kAhead;
  const std::uintptr_t end = begin + static_cast<std::uintptr_t>(count) * sizeof(In);
  for (std::uintptr_t at = begin; at < end; at += kLine)
    __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 3);
}

// Calls body(i) for vectors of channels from i on; the last may have some of the one before again.
template <class D, typename Body>
HWY_INLINE void for_channels(D d, std::int64_t channels, const Body& body) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= channels; i += lanes) body(i);
  if (i < channels) body(channels - lanes);
}

// The same with `channels` side by side, at least as many as lanes; `cells` some of the line's `all`, which
// begins at `line`. `to` is where the first of them goes.
template <class D, typename In, typename T = hn::TFromD<D>>
HWY_INLINE void double_cells(D d, std::int64_t channels, const Span& cells, std::int64_t all,
                             const In* HWY_RESTRICT line, T* HWY_RESTRICT to) {
  const auto three_quarters = hn::Set(d, T{0.75});
  const auto quarter = hn::Set(d, T{0.25});
  for (std::int64_t cell = cells.begin; cell < cells.end; ++cell, to += 2 * channels) {
    const In* own = line + cell * channels;
    // An outer position is the cell itself.
    const In* before = cell == 0 ? nullptr : own - channels;
    const In* after = cell + 1 == all ? nullptr : own + channels;
    for_channels(d, channels, [&](std::int64_t i) HWY_ATTR {
      const auto value = load_float(d, own + i);
      const auto weighed = hn::Mul(three_quarters, value);
      hn::StoreU(before == nullptr ? value : hn::Add(hn::Mul(quarter, load_float(d, before + i)), weighed), d,
                 to + i);
      hn::StoreU(after == nullptr ? value : hn::Add(weighed, hn::Mul(quarter, load_float(d, after + i))), d,
                 to + channels + i);
    });
  }
}

template <class D, typename In, typename T = hn::TFromD<D>>
HWY_INLINE void undouble_cells(D d, std::int64_t channels, const Span& cells, std::int64_t all,
                               bool prefetches, const In* HWY_RESTRICT line, T* HWY_RESTRICT to) {
  const auto three_quarters = hn::Set(d, T{0.75});
  const auto quarter = hn::Set(d, T{0.25});
  for (std::int64_t cell = cells.begin; cell < cells.end; ++cell, to += channels) {
    const In* even = line + 2 * cell * channels;
    const In* odd = even + channels;
    const In* before = even - channels;
    const In* after = odd + channels;
    const bool begins = cell == 0;
    const bool ends = cell + 1 == all;
    if (prefetches) prefetch_ahead(even, 2 * channels);
    if (!begins && !ends) {
      for_channels(d, channels, [&](std::int64_t i) HWY_ATTR {
        hn::StoreU(undoubled(d, load_float(d, before + i), load_float(d, even + i), load_float(d, odd + i),
                             load_float(d, after + i)),
                   d, to + i);
      });
      continue;
    }
    for_channels(d, channels, [&](std::int64_t i) HWY_ATTR {
      auto sum = load_float(d, even + i);
      if (!begins) sum = hn::Add(hn::Mul(quarter, load_float(d, before + i)), hn::Mul(three_quarters, sum));
      const auto last = load_float(d, odd + i);
      sum = hn::Add(sum, ends ? last : hn::Mul(three_quarters, last));
      if (!ends) sum = hn::Add(sum, hn::Mul(quarter, load_float(d, after + i)));
      hn::StoreU(sum, d, to + i);
    });
  }
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
