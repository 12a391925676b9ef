// Lines of twice as many positions as cells: quarters and three quarters, without a table.

#if defined(CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLING_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLING_INL_H_
#undef CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLING_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLING_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/kit/cpu/resample/sums-inl.h"
#include "ops/kit/taps/axis.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A scale of 2 has the very positions of the sizes.
inline bool is_doubling(const FilterAxis& axis) {
  return axis.filter == Filter::kLinear && !axis.align_corners && axis.out == 2 * axis.in &&
         (axis.scale == 0 || axis.scale == 2);
}

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
    before_ = hn::IfThenZeroElse(hn::Eq(lane, hn::Zero(di)), hn::Iota(di, static_cast<Index>(lanes - 1)));
    after_ = hn::IfThenElse(hn::Eq(lane, hn::Set(di, static_cast<Index>(lanes - 1))),
                            hn::Set(di, static_cast<Index>(2 * lanes - 1)), hn::Iota(di, 1));
    low_ = hn::IfThenElse(is_odd, hn::Add(half, hn::Set(di, lanes)), half);
    high_ = hn::Add(low_, hn::Set(di, static_cast<Index>(lanes / 2)));
  }

  // The lanes of `v` one place further, after the first of `first`; and one place back, before the last of
  // `last`.
  HWY_INLINE V before(V first, V v) const { return pick_from_two(D(), first, v, before_); }
  HWY_INLINE V after(V v, V last) const { return pick_from_two(D(), v, last, after_); }

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
#endif

// There are as many cells as lanes at least; the last vector may double some of the one before again.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void double_line([[maybe_unused]] D d, std::int64_t cells, const T* HWY_RESTRICT line,
                            T* HWY_RESTRICT to) {
#if HWY_TARGET != HWY_SCALAR
  const auto three_quarters = hn::Set(d, T{0.75});
  const auto quarter = hn::Set(d, T{0.25});
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const LineShuffles<D> shuffles;
  for (std::int64_t i = 0; i < cells; i += lanes) {
    i = std::min(i, cells - lanes);
    const auto cell = hn::LoadU(d, line + i);
    const auto before = i > 0 ? hn::LoadU(d, line + i - 1) : shuffles.before(cell, cell);
    const auto after = i + lanes < cells ? hn::LoadU(d, line + i + 1) : shuffles.after(cell, cell);
    const auto own = hn::Mul(three_quarters, cell);
    shuffles.store_in_turn(hn::Add(hn::Mul(quarter, before), own), hn::Add(own, hn::Mul(quarter, after)),
                           to + 2 * i);
  }
#endif
  // The outer positions are the outer cells themselves.
  to[0] = line[0];
  to[2 * cells - 1] = line[cells - 1];
}

// Its transpose: what the positions give back to each cell, ascending. Sums begin with the first term: of all
// zeros the last pass makes +0.0.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void undouble_line([[maybe_unused]] D d, std::int64_t cells, const T* HWY_RESTRICT line,
                              T* HWY_RESTRICT to) {
#if HWY_TARGET != HWY_SCALAR
  const auto three_quarters = hn::Set(d, T{0.75});
  const auto quarter = hn::Set(d, T{0.25});
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const LineShuffles<D> shuffles;
  for (std::int64_t i = 0; i < cells; i += lanes) {
    i = std::min(i, cells - lanes);
    const T* at = line + 2 * i;
    const auto low = hn::LoadU(d, at);
    const auto high = hn::LoadU(d, at + lanes);
    const auto even = hn::ConcatEven(d, high, low);
    const auto odd = hn::ConcatOdd(d, high, low);
    const auto before = shuffles.before(i > 0 ? hn::LoadU(d, at - 1) : odd, odd);
    const auto after = shuffles.after(even, i + lanes < cells ? hn::LoadU(d, at + lanes + 1) : even);
    auto sum = hn::Add(hn::Mul(quarter, before), hn::Mul(three_quarters, even));
    sum = hn::Add(sum, hn::Mul(three_quarters, odd));
    hn::StoreU(hn::Add(sum, hn::Mul(quarter, after)), d, to + i);
  }
#endif
  const T near = T{0.75};
  const T far = T{0.25};
  to[0] = (line[0] + near * line[1]) + far * line[2];
  const T* end = line + 2 * cells;
  to[cells - 1] = (far * end[-3] + near * end[-2]) + end[-1];
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
