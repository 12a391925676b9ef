// Vectors of indices, and whether each names a cell of its own box.

#if defined(CAIRN_OPS_KIT_CPU_DOUBLED_BOX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_DOUBLED_BOX_INL_H_
#undef CAIRN_OPS_KIT_CPU_DOUBLED_BOX_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_DOUBLED_BOX_INL_H_
#endif

#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/doubled_box.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Prefetches what is read some time after these. Reading and streaming at once, the processor looks ahead too
// little by itself.
template <typename T>
HWY_INLINE void prefetch_ahead(const T* from, std::int64_t count, std::int64_t ahead) {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  for (std::int64_t i = 0; i < count; i += kLine) hwy::Prefetch(from + ahead + i);
}

#if HWY_TARGET != HWY_SCALAR

// A vector of indices as unsigned lanes of 32 or 64 bits. False if one does not fit a lane.
template <class D, typename Index>
HWY_INLINE bool load_places(D d, const Index* HWY_RESTRICT from, hn::Vec<D>& places) {
  if constexpr (sizeof(Index) == sizeof(hn::TFromD<D>)) {
    places = hn::BitCast(d, hn::LoadU(hn::RebindToSigned<D>(), from));
    return true;
  } else if constexpr (sizeof(Index) < sizeof(hn::TFromD<D>)) {
    const auto loaded = hn::LoadU(hn::Rebind<Index, D>(), from);
    places = hn::BitCast(d, hn::PromoteTo(hn::RebindToSigned<D>(), loaded));
    return true;
  } else {
    const hn::Repartition<std::uint64_t, D> wide;
    const auto* bits = reinterpret_cast<const std::uint64_t*>(from);
    const auto low = hn::LoadU(wide, bits);
    const auto high = hn::LoadU(wide, bits + hn::Lanes(wide));
    places = hn::ConcatEven(d, hn::BitCast(d, high), hn::BitCast(d, low));
    return hn::AllTrue(wide, hn::Eq(hn::ShiftRight<32>(hn::Or(low, high)), hn::Zero(wide)));
  }
}

// Whether all lanes are distances to cells of the box.
template <std::size_t kRows, class D>
HWY_INLINE bool are_in_box(D d, hn::Vec<D> distances, const DoubledBox& box) {
  using Lane = hn::TFromD<D>;
  auto in_box = hn::Lt(distances, hn::Set(d, Lane{2}));
  for (std::size_t r = 1; r < kRows; ++r) {
    const auto distance = hn::Sub(distances, hn::Set(d, static_cast<Lane>(box.offset(r))));
    in_box = hn::Or(in_box, hn::Lt(distance, hn::Set(d, Lane{2})));
  }
  return hn::AllTrue(d, in_box);
}

#endif

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
