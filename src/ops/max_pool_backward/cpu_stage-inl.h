// Rows of windows made ready for the taps: gradients as float, indices as 32 bits, windows without a source
// all around them, so that the inner loops know no types, strides or borders. Strays are noticed on the way.

#if defined(CAIRN_OPS_MAX_POOL_BACKWARD_CPU_STAGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_BACKWARD_CPU_STAGE_INL_H_
#undef CAIRN_OPS_MAX_POOL_BACKWARD_CPU_STAGE_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_BACKWARD_CPU_STAGE_INL_H_
#endif

#include <algorithm>
#include <cstring>

#include "hwy/highway.h"
#include "ops/kernel/convert-inl.h"
#include "ops/max_pool_backward/cpu_tile.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using cairn::HWY_NAMESPACE::load_float;

using FloatTag = hn::ScalableTag<float>;
using IndexTag = hn::RebindToSigned<FloatTag>;
using IndexVec = hn::Vec<IndexTag>;

constexpr std::int32_t kNoSource = -1;
constexpr std::int32_t kBeyondInt32 = -2;  // stands for every index that 32 bits cannot hold: a stray anyway

HWY_INLINE IndexVec load_index(IndexTag d, const std::int32_t* from) { return hn::LoadU(d, from); }
HWY_INLINE IndexVec load_index(IndexTag d, const std::int64_t* from) {
  IndexVec low;
  IndexVec high;
  hn::LoadInterleaved2(d, reinterpret_cast<const std::int32_t*>(from), low, high);
  return hn::IfThenElse(hn::Eq(high, hn::ShiftRight<31>(low)), low, hn::Set(d, kBeyondInt32));
}

// The rows of cells that one row of windows covers, as flat positions of their first cells.
struct CoveredRows {
  std::int32_t first;
  std::int32_t slice_pitch;
  std::int32_t row_pitch;
  std::int64_t slices;
  std::int64_t rows;

  CoveredRows(const Tiling& t, std::int64_t od, std::int64_t oh) {
    const Span d = t.axes.d.cells(od);
    const Span h = t.axes.h.cells(oh);
    const std::int64_t width = t.axes.w.in;
    first = static_cast<std::int32_t>((d.begin * t.axes.h.in + h.begin) * width);
    slice_pitch = static_cast<std::int32_t>(t.axes.h.in * width);
    row_pitch = static_cast<std::int32_t>(width);
    slices = d.size();
    rows = h.size();
  }
};

// Lanes whose index is neither "no source" nor a cell of the lane's own window. `more` is the distance from
// the window's first column to its last: as unsigned numbers, only a cell of the window is that close to a
// row's first.
HWY_INLINE hn::Mask<IndexTag> strays(const CoveredRows& covered, IndexVec index, IndexVec first,
                                     IndexVec more) {
  const IndexTag di;
  const hn::RebindToUnsigned<IndexTag> du;
  auto from_first = hn::BitCast(du, hn::Sub(index, hn::Add(first, hn::Set(di, covered.first))));
  auto closest = from_first;
  const auto row_pitch = hn::Set(du, static_cast<std::uint32_t>(covered.row_pitch));
  const auto slice_step = hn::Set(
      du, static_cast<std::uint32_t>(covered.slice_pitch) -
              static_cast<std::uint32_t>(covered.row_pitch) * static_cast<std::uint32_t>(covered.rows - 1));
  for (std::int64_t slice = 0;;) {
    for (std::int64_t row = 1; row < covered.rows; ++row) {
      from_first = hn::Sub(from_first, row_pitch);
      closest = hn::Min(closest, from_first);
    }
    if (++slice == covered.slices) break;
    from_first = hn::Sub(from_first, slice_step);
    closest = hn::Min(closest, from_first);
  }
  const auto inside = hn::Eq(hn::Min(closest, hn::BitCast(du, more)), closest);
  return hn::AndNot(hn::RebindMask(di, inside), hn::Ne(index, hn::Set(di, kNoSource)));
}

// Elements side by side in memory: the part of them that may be read is longer than the part that counts
// where more of the same plane follows.
template <typename E>
struct Run {
  const E* data;
  std::int64_t count;
  std::int64_t readable;

  // `data + i`, or a copy of what is left there when a vector would read too far.
  const E* at(std::int64_t i, std::int64_t lanes, E* copy) const {
    if (i + lanes <= readable) return data + i;
    std::memcpy(copy, data + i, static_cast<std::size_t>(count - i) * sizeof(E));
    return copy;
  }
};

// Stages one run. With lanes along W `columns` advances with the lanes; along C all lanes share the one
// window.
template <LaneAxis kAxis, typename T, typename Index>
HWY_INLINE hn::Mask<IndexTag> stage_run(const CoveredRows& covered, const Run<Index>& indices,
                                        const Run<T>& gradients, const std::int32_t* first_column,
                                        const std::int32_t* more_columns, std::int32_t* HWY_RESTRICT to_index,
                                        float* HWY_RESTRICT to_gradient, Index* index_copy,
                                        T* gradient_copy) {
  const FloatTag df;
  const IndexTag di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(df));
  auto any_stray = hn::FirstN(di, 0);
  for (std::int64_t i = 0; i < indices.count; i += lanes) {
    auto index = load_index(di, indices.at(i, lanes, index_copy));
    if (indices.count - i < lanes) {
      const auto counts = hn::FirstN(di, static_cast<std::size_t>(indices.count - i));
      index = hn::IfThenElse(counts, index, hn::Set(di, kNoSource));
    }
    const auto first =
        kAxis == LaneAxis::kWidth ? hn::LoadU(di, first_column + i) : hn::Set(di, *first_column);
    const auto more =
        kAxis == LaneAxis::kWidth ? hn::LoadU(di, more_columns + i) : hn::Set(di, *more_columns);
    any_stray = hn::Or(any_stray, strays(covered, index, first, more));
    hn::Store(index, di, to_index + i);
    hn::Store(load_float(df, gradients.at(i, lanes, gradient_copy)), df, to_gradient + i);
  }
  return any_stray;
}

HWY_INLINE void stage_no_source(std::int32_t* to, std::int64_t count) {
  const IndexTag di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(di));
  for (std::int64_t i = 0; i < count; i += lanes) hn::StoreU(hn::Set(di, kNoSource), di, to + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace cairn::max_pool_backward
HWY_AFTER_NAMESPACE();

#endif
