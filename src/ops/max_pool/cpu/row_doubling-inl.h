// Long windows that overlap along W: the best of 2, 4, 8 … taps from every cell on, each from two of half the
// length; a window is two of the longest that fit, which may overlap. Takes log2(kernel) steps a cell instead
// of `kernel` a window: in a row of 100000, 3 % of the time with 3001 taps, 0.5 % with 30001.

#if defined(CAIRN_OPS_MAX_POOL_CPU_ROW_DOUBLING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_ROW_DOUBLING_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_ROW_DOUBLING_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_ROW_DOUBLING_INL_H_
#endif

#include <bit>
#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "ops/kit/cpu/maximum-inl.h"
#include "ops/max_pool/cpu/row_steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

// Whether that is less work.
inline bool pays_to_double(const Columns& columns) {
  const std::int64_t cells = columns.windows * columns.stride + columns.kernel * columns.dilation;
  const auto steps = static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(columns.kernel)));
  return columns.kernel * columns.windows > 5 * steps * cells;
}

// Cells [0, count) of `to` become the best of those of `from` and those `distance` further; `to` may be
// `from`.
template <bool kNans>
void merge_further(const LeaderRow& from, std::int64_t distance, std::int64_t count, const LeaderRow& to) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes) {
    Leader<Floats> leader{hn::LoadU(d, from.values + i), hn::LoadU(di, from.positions + i)};
    leader.template meet<kNans>(hn::LoadU(d, from.values + i + distance),
                                hn::LoadU(di, from.positions + i + distance));
    hn::StoreU(leader.value, d, to.values + i);
    hn::StoreU(leader.position, di, to.positions + i);
  }
}

// As reduce_row; `cells` has room for every cell and a vector.
template <bool kNans>
void reduce_row_by_doubling(const Columns& columns, const float* from, std::int32_t row,
                            const LeaderRow& cells, const LeaderRow& best) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t starts =
      (columns.windows - 1) * columns.stride + 1;  // from the first window's to the last's
  // Positions count from the first window's start.
  std::int64_t count = starts + (columns.kernel - 1) * columns.dilation;
  for (std::int64_t i = 0; i < count; i += lanes) {
    hn::StoreU(hn::LoadU(d, from + i), d, cells.values + i);
    hn::StoreU(hn::Iota(di, static_cast<std::int32_t>(i)), di, cells.positions + i);
  }
  std::int64_t taps = 1;
  for (; 2 * taps <= columns.kernel; taps *= 2) {
    count -= taps * columns.dilation;
    merge_further<kNans>(cells, taps * columns.dilation, count, cells);
  }
  if (taps < columns.kernel)
    merge_further<kNans>(cells, (columns.kernel - taps) * columns.dilation, starts, cells);
  // Padding may have won only where every tap is -inf.
  const auto stride = hn::Set(di, static_cast<std::int32_t>(columns.stride));
  const auto nothing = hn::Set(d, -std::numeric_limits<float>::infinity());
  const auto base = hn::Set(di, row + columns.start);
  for (std::int64_t o = 0; o < columns.windows; o += lanes) {
    const auto starts_here = hn::Mul(hn::Iota(di, static_cast<std::int32_t>(o)), stride);
    const auto at = hn::Min(starts_here, hn::Set(di, static_cast<std::int32_t>(starts - 1)));
    const auto value = hn::GatherIndex(d, cells.values, at);
    const auto position = hn::GatherIndex(di, cells.positions, at);
    const auto first = hn::Add(hn::LoadU(di, columns.first + o), starts_here);
    const auto lost = hn::RebindMask(di, hn::Eq(value, nothing));
    hn::StoreU(value, d, best.values + o);
    hn::StoreU(hn::Add(hn::IfThenElse(lost, first, position), base), di, best.positions + o);
  }
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
