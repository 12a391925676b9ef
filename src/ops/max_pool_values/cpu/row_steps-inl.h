// The steps of windows in rows, on order keys: over rows, then along W.

#if defined(CAIRN_OPS_MAX_POOL_VALUES_CPU_ROW_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_VALUES_CPU_ROW_STEPS_INL_H_
#undef CAIRN_OPS_MAX_POOL_VALUES_CPU_ROW_STEPS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_VALUES_CPU_ROW_STEPS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/max_pool_values/cpu/key_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_values::HWY_NAMESPACE {

// `to` becomes the maximum of kRows rows, and with kMore of itself. kBits: the rows are elements, else keys.
// True if there was a -0.0.
template <int kRows, bool kBits, bool kMore, typename Lane>
bool merge_rows(const OrderKey<Lane>& keys, const Lane* const* from, std::int64_t count, Lane* to) {
  using Keys = KeyVectors<Lane>;
  const typename Keys::D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Lane* rows[kRows];
  std::copy_n(from, kRows, rows);
  if (count < lanes) {
    bool minus_zero = false;
    for (std::int64_t i = 0; i < count; ++i) {
      Lane best = kMore ? to[i] : OrderKey<Lane>::kLeast;
      for (const Lane* row : rows) {
        minus_zero |= row[i] == OrderKey<Lane>::kLeast;
        best = std::max(best, kBits ? keys.key(row[i]) : row[i]);
      }
      to[i] = best;
    }
    return kBits && minus_zero;
  }
  Keys vectors(keys);
  const auto load = [&](const Lane* at) HWY_ATTR {
    if constexpr (kBits) return vectors.load(at);
    return hn::LoadU(d, at);
  };
  const auto merge = [&](std::int64_t i) HWY_ATTR {
    auto best = load(rows[0] + i);
    for (int r = 1; r < kRows; ++r) best = hn::Max(best, load(rows[r] + i));
    if constexpr (kMore) best = hn::Max(best, hn::LoadU(d, to + i));
    hn::StoreU(best, d, to + i);
  };
  for (std::int64_t i = 0; i + lanes < count; i += lanes) merge(i);
  merge(count - lanes);
  return kBits && vectors.saw_minus_zero();
}

template <bool kBits, typename Lane>
bool merge_rows(const OrderKey<Lane>& keys, const Lane* const* from, std::int64_t rows, std::int64_t count,
                bool more, Lane* to) {
  switch (rows * 2 + (more ? 1 : 0)) {
    case 2:
      return merge_rows<1, kBits, false>(keys, from, count, to);
    case 3:
      return merge_rows<1, kBits, true>(keys, from, count, to);
    case 4:
      return merge_rows<2, kBits, false>(keys, from, count, to);
    case 5:
      return merge_rows<2, kBits, true>(keys, from, count, to);
    case 6:
      return merge_rows<3, kBits, false>(keys, from, count, to);
    default:
      return merge_rows<3, kBits, true>(keys, from, count, to);
  }
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

// Keys as elements; `to` may be `best`.
template <typename Lane>
void store_keys(const OrderKey<Lane>& keys, const Lane* best, std::int64_t count, Lane* to) {
  using Keys = KeyVectors<Lane>;
  const typename Keys::D d;
  const Keys vectors(keys);
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) vectors.store(hn::LoadU(d, best + i), to + i);
  for (; i < count; ++i) to[i] = keys.bits(best[i]);
}

}  // namespace cairn::max_pool_values::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
