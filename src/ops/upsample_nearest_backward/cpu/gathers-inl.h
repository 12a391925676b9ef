// Sums of cells whose positions may lie anywhere: a vector of cells takes one position of each at a time.

#if defined(CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_GATHERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_GATHERS_INL_H_
#undef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_GATHERS_INL_H_
#else
#define CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_GATHERS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/kit/cpu/half.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/upsample_nearest_backward/cpu/box_table.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using IndexVec = hn::Vec<hn::RebindToSigned<D>>;

// A vector of indices for lanes of D, from a table of 32-bit ones.
template <class D>
HWY_INLINE IndexVec<D> load_indices(D /*d*/, const std::int32_t* from) {
  const hn::RebindToSigned<D> di;
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(std::int32_t)) {
    return hn::LoadU(di, from);
  } else {
    return hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::int32_t, D>(), from));
  }
}

template <class D, typename T>
HWY_INLINE hn::Vec<D> gather(D d, const T* from, IndexVec<D> places) {
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    return hn::GatherIndex(d, from, places);
  } else {
    const hn::RebindToSigned<D> di;
    HWY_ALIGN hn::TFromD<decltype(di)> at[hn::MaxLanes(D())];
    HWY_ALIGN float taken[hn::MaxLanes(D())];
    hn::Store(places, di, at);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) taken[i] = to_float(from[at[i]]);
    return hn::Load(d, taken);
  }
}

// Adds to the sums of a table's cells what each is due from a line. Whole vectors: `sums` has room for them.
template <class D, class Boxes, typename T>
HWY_INLINE void add_gathered(D d, const Boxes& boxes, std::int64_t count, std::int64_t stride,
                             const T* HWY_RESTRICT line, SumOf<T>* HWY_RESTRICT sums) {
  using Index = hn::TFromD<hn::RebindToSigned<D>>;
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto step = hn::Set(di, static_cast<Index>(stride));
  const std::int32_t most = boxes.most();
  line += boxes.first();
  for (std::int64_t i = 0; i < count && most > 0; i += lanes) {
    auto place = load_indices(d, boxes.offsets() + i);
    const auto size = load_indices(d, boxes.sizes() + i);
    auto sum = hn::Load(d, sums + i);
    for (std::int32_t tap = 0; tap < most; ++tap) {
      // A cell that has no more positions adds +0.0, which changes no sum that began with +0.0.
      const auto has_more = hn::Gt(size, hn::Set(di, static_cast<Index>(tap)));
      const auto term = gather(d, line, hn::IfThenElseZero(has_more, place));
      sum = hn::Add(sum, hn::IfThenElseZero(hn::RebindMask(d, has_more), term));
      place = hn::Add(place, step);
    }
    hn::Store(sum, d, sums + i);
  }
}

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
