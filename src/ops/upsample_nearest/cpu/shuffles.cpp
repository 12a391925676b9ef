#include <type_traits>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/target.h"
#include "ops/upsample_nearest/cpu/lines.h"
#include "ops/upsample_nearest/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest/cpu/shuffles.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void copy_shuffled(const Plan& /*plan*/, Workers& /*workers*/) {}

#else
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Shuffles across a vector have lanes of 32 bits at least.
template <typename T>
using ShuffleTag = hn::ScalableTag<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t> >;

template <class D, typename T>
HWY_INLINE hn::Vec<D> load_lanes(D d, const T* from) {
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}
template <class D, typename T>
HWY_INLINE void store_lanes(D d, hn::Vec<D> v, T* to) {
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Rebind<T, D> narrow;
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<D>(), v)), narrow, to);
  }
}

template <typename T>
struct MakeShuffled {
  static HWY_ATTR std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(ShuffleTag<T>())); }

  // Writes whole vectors.
  static HWY_ATTR void line(const ScaledPlanes& /*planes*/, const SourceTable& table,
                            const T* HWY_RESTRICT from, T* HWY_RESTRICT to) {
    // The last stretch of a line may have fewer cells than a vector has lanes.
    if (!table.has_windows()) {
      for (std::int64_t i = 0; i < table.count(); ++i) to[i] = from[table.source(i)];
      return;
    }
    const ShuffleTag<T> d;
    const hn::RebindToSigned<decltype(d)> di;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t i = 0; i < table.count(); i += step) {
      const auto window = load_lanes(d, from + table.window(i, step));
      if constexpr (sizeof(T) == 8) {
        const auto places =
            hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::int32_t, ShuffleTag<T> >(), table.places(i)));
        store_lanes(d, hn::TableLookupLanes(window, hn::IndicesFromVec(d, places)), to + i);
      } else {
        const auto places = hn::LoadU(di, table.places(i));
        store_lanes(d, hn::TableLookupLanes(window, hn::IndicesFromVec(d, places)), to + i);
      }
    }
  }
};

template <typename T>
using Shuffled = MadeLines<T, MakeShuffled<T> >;

}  // namespace

void copy_shuffled(const Plan& plan, Workers& workers) { write_lines<Shuffled>(plan, workers); }

#endif

}  // namespace cairn::upsample_nearest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest::shuffles {

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.self, plan.values);
  const std::int64_t lanes = size_of(plan.type) == 8 ? float_lanes() / 2 : float_lanes();
  if (lanes <= 1) return "this instruction set has no vectors";
  if (planes.read.w != 1) return "self is strided along W";
  if (planes.w.scale > 1.0F) return "W shrinks";
  if (planes.w.in < lanes) return "a line of self is shorter than a vector";
  return nullptr;
}

CAIRN_RUN_KERNEL(copy_shuffled)

}  // namespace cairn::upsample_nearest::shuffles
#endif
