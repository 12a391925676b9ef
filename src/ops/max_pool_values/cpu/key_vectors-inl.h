// Vectors of order keys. Their maximum does not depend on the order of the taps; where the definition does,
// which is with both zeros and with several NaNs, the result tells, and its windows are looked at again.

#if defined(CAIRN_OPS_MAX_POOL_VALUES_CPU_KEY_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_VALUES_CPU_KEY_VECTORS_INL_H_
#undef CAIRN_OPS_MAX_POOL_VALUES_CPU_KEY_VECTORS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_VALUES_CPU_KEY_VECTORS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/kit/order_key.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_values::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Lane, class Tag = hn::ScalableTag<Lane>>
struct KeyVectors {
  using D = Tag;
  using V = hn::Vec<D>;

  V flip, shift;
  V least_bits;  // of all that was loaded: -0.0 has the least of all

  HWY_INLINE explicit KeyVectors(const OrderKey<Lane>& keys)
      : flip(hn::Set(D(), keys.flip)), shift(hn::Set(D(), keys.shift)), least_bits(hn::Zero(D())) {}

  HWY_INLINE V flipped(V bits) const {
    if constexpr (sizeof(Lane) == 1) return bits;  // no float is a byte
    return hn::Xor(bits, hn::And(hn::BroadcastSignBit(bits), flip));
  }
  HWY_INLINE V load(const Lane* from) {
    const auto bits = hn::LoadU(D(), from);
    if constexpr (sizeof(Lane) > 1) least_bits = hn::Min(least_bits, bits);
    return hn::Add(flipped(bits), shift);
  }
  HWY_INLINE V elements(V keys) const { return flipped(hn::Sub(keys, shift)); }
  HWY_INLINE void store(V keys, Lane* to) const { hn::StoreU(elements(keys), D(), to); }

  HWY_INLINE bool saw_minus_zero() const {
    return !hn::AllFalse(D(), hn::Eq(least_bits, hn::Set(D(), OrderKey<Lane>::kLeast)));
  }
};

}  // namespace cairn::max_pool_values::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
