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
#include "ops/kit/taps/axis.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A scale of 2 has the very positions of the sizes.
inline bool is_doubling(const FilterAxis& axis) {
  return axis.filter == Filter::kLinear && !axis.align_corners && axis.out == 2 * axis.in &&
         (axis.scale == 0 || axis.scale == 2);
}

// Calls `some` with the first of as many cells as there are lanes, until all but the outer ones were there;
// the last may have been there before. There are at least two more cells than lanes.
template <class D, typename Some>
HWY_INLINE void for_inner_cells(D d, std::int64_t cells, const Some& some) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 1;
  for (; i + lanes <= cells - 1; i += lanes) some(i);
  if (i < cells - 1) some(cells - 1 - lanes);
}

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void double_line(D d, std::int64_t cells, const T* HWY_RESTRICT line, T* HWY_RESTRICT to) {
  const T near = T{0.75};
  const T far = T{0.25};
  const auto three_quarters = hn::Set(d, near);
  const auto quarter = hn::Set(d, far);
  to[0] = line[0];
  to[1] = near * line[0] + far * line[1];
  for_inner_cells(d, cells, [&](std::int64_t i) HWY_ATTR {
    const auto own = hn::Mul(three_quarters, hn::LoadU(d, line + i));
    const auto even = hn::Add(hn::Mul(quarter, hn::LoadU(d, line + i - 1)), own);
    const auto odd = hn::Add(own, hn::Mul(quarter, hn::LoadU(d, line + i + 1)));
    hn::StoreInterleaved2(even, odd, d, to + 2 * i);
  });
  to[2 * cells - 2] = far * line[cells - 2] + near * line[cells - 1];
  to[2 * cells - 1] = line[cells - 1];
}

// Its transpose: what the positions give back to each cell, ascending.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void undouble_line(D d, std::int64_t cells, const T* HWY_RESTRICT line, T* HWY_RESTRICT to) {
  const T near = T{0.75};
  const T far = T{0.25};
  const auto three_quarters = hn::Set(d, near);
  const auto quarter = hn::Set(d, far);
  to[0] = ((T{0} + line[0]) + near * line[1]) + far * line[2];
  for_inner_cells(d, cells, [&](std::int64_t i) HWY_ATTR {
    hn::Vec<D> first, second, third, fourth;
    hn::LoadInterleaved2(d, line + 2 * i - 1, first, second);
    hn::LoadInterleaved2(d, line + 2 * i + 1, third, fourth);
    auto sum = hn::Add(hn::Zero(d), hn::Mul(quarter, first));
    sum = hn::Add(sum, hn::Mul(three_quarters, second));
    sum = hn::Add(sum, hn::Mul(three_quarters, third));
    hn::StoreU(hn::Add(sum, hn::Mul(quarter, fourth)), d, to + i);
  });
  const T* end = line + 2 * cells;
  to[cells - 1] = ((T{0} + far * end[-3]) + near * end[-2]) + end[-1];
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
