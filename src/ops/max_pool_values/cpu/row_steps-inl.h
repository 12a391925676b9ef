// The steps of windows in rows, on order keys: over rows, then along W.

#if defined(CAIRN_OPS_MAX_POOL_VALUES_CPU_ROW_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_VALUES_CPU_ROW_STEPS_INL_H_
#undef CAIRN_OPS_MAX_POOL_VALUES_CPU_ROW_STEPS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_VALUES_CPU_ROW_STEPS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/max_pool_values/cpu/key_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_values::HWY_NAMESPACE {

// Rows of elements that lie alike.
template <typename Lane>
struct RowsOfSelf {
  static constexpr std::int64_t kMost = 3;
  const Lane* from[kMost];
  std::int64_t rows;
  std::int64_t cells;
  std::int64_t ahead;  // what is prefetched lies so many elements further
};

// `to` becomes the maximum of kRows rows, and with kMore of itself, as keys. True if there was a -0.0.
template <int kRows, bool kMore, class D, typename Lane>
HWY_INLINE bool merge_rows(D d, const OrderKey<Lane>& keys, const RowsOfSelf<Lane>& it, Lane* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (it.cells < lanes) return merge_rows<kRows, kMore>(hn::Half<D>(), keys, it, to);
  }
  const Lane* rows[kRows];
  std::copy_n(it.from, kRows, rows);
  KeyVectors<Lane, D> vectors(keys);
  // Rows that lie one behind the other are prefetched as they lie, not in turn: the processor reads on by
  // itself then.
  const bool together = kRows == 2 && rows[0] + it.cells == rows[kRows - 1];
  const auto merge = [&](std::int64_t i) HWY_ATTR {
    auto best = hn::Set(d, OrderKey<Lane>::kLeast);
    for (int r = 0; r < kRows; ++r) {
      hwy::Prefetch((together ? rows[0] + 2 * i + r * lanes : rows[r] + i) + it.ahead);
      best = hn::Max(best, vectors.load(rows[r] + i));
    }
    if constexpr (kMore) best = hn::Max(best, hn::LoadU(d, to + i));
    hn::StoreU(best, d, to + i);
  };
  for (std::int64_t i = 0; i + lanes < it.cells; i += lanes) merge(i);
  merge(it.cells - lanes);
  return vectors.saw_minus_zero();
}

template <typename Lane>
bool merge_rows(const OrderKey<Lane>& keys, const RowsOfSelf<Lane>& it, bool more, Lane* to) {
  const hn::ScalableTag<Lane> d;
  switch (it.rows * 2 + (more ? 1 : 0)) {
    case 2:
      return merge_rows<1, false>(d, keys, it, to);
    case 3:
      return merge_rows<1, true>(d, keys, it, to);
    case 4:
      return merge_rows<2, false>(d, keys, it, to);
    case 5:
      return merge_rows<2, true>(d, keys, it, to);
    case 6:
      return merge_rows<3, false>(d, keys, it, to);
    default:
      return merge_rows<3, true>(d, keys, it, to);
  }
}

#if HWY_TARGET != HWY_SCALAR
// Windows of two neighbours each, side by side, over kRows rows at once: `to` has the best of each, in whole
// vectors. True if there was a -0.0.
template <int kRows, typename Lane>
HWY_INLINE bool merge_pairs_of(const OrderKey<Lane>& keys, const RowsOfSelf<Lane>& it, Lane* to) {
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t windows = it.cells / 2;
  const Lane* rows[kRows];
  std::copy_n(it.from, kRows, rows);
  KeyVectors<Lane> vectors(keys);
  const bool together = kRows == 2 && rows[0] + it.cells == rows[kRows - 1];
  for (std::int64_t i = 0; i < windows; i += lanes) {
    // The last vector looks at some windows again.
    const std::int64_t o = std::min(i, windows - lanes);
    auto low = hn::Set(d, OrderKey<Lane>::kLeast);
    auto high = low;
    for (int r = 0; r < kRows; ++r) {
      const Lane* from = rows[r] + 2 * o;
      const Lane* next = (together ? rows[0] + 4 * o + r * 2 * lanes : from) + it.ahead;
      hwy::Prefetch(next);
      hwy::Prefetch(next + lanes);
      low = hn::Max(low, vectors.load(from));
      high = hn::Max(high, vectors.load(from + lanes));
    }
    hn::StoreU(hn::Max(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low)), d, to + o);
  }
  return vectors.saw_minus_zero();
}

template <typename Lane>
bool merge_pairs(const OrderKey<Lane>& keys, const RowsOfSelf<Lane>& it, Lane* to) {
  if (it.rows == 1) return merge_pairs_of<1>(keys, it, to);
  return it.rows == 2 ? merge_pairs_of<2>(keys, it, to) : merge_pairs_of<3>(keys, it, to);
}
#endif

// Rows of windows over lines of keys, in elements.
struct Lines {
  std::int64_t kernel;
  std::int64_t tap;   // from one tap of a window to the next
  std::int64_t step;  // from one row of windows to the next
  std::int64_t pitch;
  std::int64_t rows;
};

// Row r of `to` becomes the best of its windows' lines. What whole vectors have too much, the next row has
// over it, or there is room.
template <int kKernel, typename Lane>
HWY_INLINE void merge_lines_of(const Lane* HWY_RESTRICT from, const Lines& lines, Lane* HWY_RESTRICT to) {
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t kernel = kKernel == 0 ? lines.kernel : kKernel;
  // Rows one after the other are one.
  const bool together = lines.step == lines.pitch;
  const std::int64_t rows = together ? 1 : lines.rows;
  const std::int64_t count = together ? lines.rows * lines.pitch : lines.pitch;
  for (std::int64_t r = 0; r < rows; ++r, from += lines.step, to += lines.pitch) {
    for (std::int64_t i = 0; i < count; i += lanes) {
      auto best = hn::LoadU(d, from + i);
      for (std::int64_t k = 1; k < kernel; ++k) best = hn::Max(best, hn::LoadU(d, from + i + k * lines.tap));
      hn::StoreU(best, d, to + i);
    }
  }
}

template <typename Lane>
void merge_lines(const Lane* from, const Lines& lines, Lane* to) {
  if (lines.kernel == 3) return merge_lines_of<3>(from, lines, to);
  if (lines.kernel == 5) return merge_lines_of<5>(from, lines, to);
  merge_lines_of<0>(from, lines, to);
}

// Windows along a row of cells, from cell 0 on.
struct Columns {
  std::int64_t windows;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t dilation;
};

// Cell i becomes the best of `kernel` taps from there on: of 2, 4, 8 … taps, each from two of half the
// length, then of two of the longest that fit, which may overlap.
template <typename Lane>
void reduce_in_place(Lane* cells, const Columns& columns) {
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto merge_further = [&](std::int64_t distance, std::int64_t count) HWY_ATTR {
    for (std::int64_t i = 0; i < count; i += lanes)
      hn::StoreU(hn::Max(hn::LoadU(d, cells + i), hn::LoadU(d, cells + i + distance)), d, cells + i);
  };
  const std::int64_t starts = (columns.windows - 1) * columns.stride + 1;
  std::int64_t count = starts + (columns.kernel - 1) * columns.dilation;
  std::int64_t taps = 1;
  for (; 2 * taps <= columns.kernel; taps *= 2) {
    count -= taps * columns.dilation;
    merge_further(taps * columns.dilation, count);
  }
  if (taps < columns.kernel) merge_further((columns.kernel - taps) * columns.dilation, starts);
}

template <typename Lane>
void reduce_side_by_side(const Lane* cells, const Columns& columns, Lane* best) {
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t o = 0; o < columns.windows; o += lanes) {
    auto v = hn::LoadU(d, cells + o);
    for (std::int64_t k = 1; k < columns.kernel; ++k)
      v = hn::Max(v, hn::LoadU(d, cells + o + k * columns.dilation));
    hn::StoreU(v, d, best + o);
  }
}

#if HWY_TARGET == HWY_SCALAR
template <int kKernel, typename Lane>
void reduce_every_other(const Lane* cells, std::int64_t windows, Lane* best) {
  for (std::int64_t o = 0; o < windows; ++o)
    best[o] = *std::max_element(cells + 2 * o, cells + 2 * o + kKernel);
}
#else
// Two or three taps each, two apart.
template <int kKernel, typename Lane>
void reduce_every_other(const Lane* cells, std::int64_t windows, Lane* best) {
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t o = 0; o < windows; o += lanes) {
    const Lane* at = cells + 2 * o;
    const auto low = hn::LoadU(d, at);
    const auto high = hn::LoadU(d, at + lanes);
    auto v = hn::Max(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
    if constexpr (kKernel == 3)
      v = hn::Max(v, hn::ConcatEven(d, hn::LoadU(d, at + 2 + lanes), hn::LoadU(d, at + 2)));
    hn::StoreU(v, d, best + o);
  }
}
#endif

// The cells are of no use afterwards.
template <typename Lane>
void reduce_along(Lane* cells, const Columns& columns, Lane* best) {
  constexpr std::int64_t kFew = 6;
  if (columns.stride == 1 && columns.kernel <= kFew) return reduce_side_by_side(cells, columns, best);
  if (columns.stride == 2 && columns.kernel == 2 && columns.dilation == 1)
    return reduce_every_other<2>(cells, columns.windows, best);
  if (columns.stride == 2 && columns.kernel == 3 && columns.dilation == 1)
    return reduce_every_other<3>(cells, columns.windows, best);
  reduce_in_place(cells, columns);
  for (std::int64_t o = 0; o < columns.windows; ++o) best[o] = cells[o * columns.stride];
}

// Whether some of them are NaNs or, where that matters, +0.0.
template <typename Lane>
bool are_doubtful(const OrderKey<Lane>& keys, const Lane* best, std::int64_t count, bool zeros) {
  const hn::ScalableTag<Lane> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto largest = hn::Set(d, keys.largest);
  const auto zero = hn::Set(d, zeros ? keys.zero() : OrderKey<Lane>::kLeast);
  auto found = hn::Or(hn::Gt(largest, largest), hn::Gt(largest, largest));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, best + i);
    found = hn::Or(found, hn::Gt(v, largest));
    if (zeros) found = hn::Or(found, hn::Eq(v, zero));
  }
  bool rest = false;
  for (; i < count; ++i) rest |= best[i] > keys.largest || (zeros && best[i] == keys.zero());
  return rest || !hn::AllFalse(d, found);
}

// Keys as elements, past the cache: whole cache lines.
template <typename Lane>
void stream_keys(const OrderKey<Lane>& keys, const Lane* best, std::int64_t count, Lane* to) {
  const hn::ScalableTag<Lane> d;
  const KeyVectors<Lane> vectors(keys);
  for (std::int64_t i = 0; i < count; i += static_cast<std::int64_t>(hn::Lanes(d)))
    hn::Stream(vectors.elements(hn::LoadU(d, best + i)), d, to + i);
}

// Keys as elements. The last vector may store some of the one before again.
template <class D, typename Lane>
HWY_INLINE void store_keys(D d, const OrderKey<Lane>& keys, const Lane* best, std::int64_t count, Lane* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (count < lanes) return store_keys(hn::Half<D>(), keys, best, count, to);
  }
  const KeyVectors<Lane, D> vectors(keys);
  for (std::int64_t i = 0; i + lanes < count; i += lanes) vectors.store(hn::LoadU(d, best + i), to + i);
  vectors.store(hn::LoadU(d, best + count - lanes), to + count - lanes);
}

}  // namespace cairn::max_pool_values::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
