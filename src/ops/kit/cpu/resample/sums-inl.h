// Weighted sums along a line and across lines. Every product and every sum is rounded; nothing is fused.

#if defined(CAIRN_OPS_KIT_CPU_RESAMPLE_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_RESAMPLE_SUMS_INL_H_
#undef CAIRN_OPS_KIT_CPU_RESAMPLE_SUMS_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_RESAMPLE_SUMS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/kit/cpu/convert-inl.h"
#include "ops/kit/cpu/ordered_sums-inl.h"
#include "ops/kit/cpu/resample/lane_table.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The lanes at `place`, from 0 to twice their number, of a window of two vectors.
template <class D, class I>
HWY_INLINE hn::Vec<D> pick_from_two(D d, hn::Vec<D> low, hn::Vec<D> high, I place) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (std::is_same_v<hn::Vec<D>, hn::Vec<hn::ScalableTag<float>>>) {
    return hn::Vec<D>{_mm512_permutex2var_ps(low.raw, place.raw, high.raw)};
  } else if constexpr (std::is_same_v<hn::Vec<D>, hn::Vec<hn::ScalableTag<double>>>) {
    return hn::Vec<D>{_mm512_permutex2var_pd(low.raw, place.raw, high.raw)};
  }
#endif
  const hn::RebindToSigned<D> di;
  using Index = hn::TFromD<decltype(di)>;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto is_high = hn::RebindMask(d, hn::Gt(place, hn::Set(di, static_cast<Index>(lanes - 1))));
  const auto at = hn::IndicesFromVec(d, hn::And(place, hn::Set(di, static_cast<Index>(lanes - 1))));
  return hn::IfThenElse(is_high, hn::TableLookupLanes(high, at), hn::TableLookupLanes(low, at));
}

// A block of targets: kSlots taps of each, all of them near, or what the table says if that is 0.
template <std::int32_t kSlots, class D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> weigh_block(D d, const resample::LaneTable<T>& table, std::int64_t number, T start,
                                  const T* HWY_RESTRICT line) {
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto& block = table.block(number);
  const std::int64_t* bases = table.bases(block.slot);
  const auto* places = table.indices(block.slot);
  const T* weights = table.weights(block.slot);
  auto sum = hn::Set(d, start);
  const std::int32_t slots = kSlots == 0 ? block.slots : kSlots;
  for (std::int32_t i = 0; i < slots; ++i) {
    const T* from = line + bases[i];
    const auto place = hn::Load(di, places + i * lanes);
    const auto value = kSlots == 0 && block.gathers
                           ? hn::GatherIndex(d, from, place)
                           : pick_from_two(d, hn::LoadU(d, from), hn::LoadU(d, from + lanes), place);
    const auto next = hn::Add(sum, hn::Mul(hn::Load(d, weights + i * lanes), value));
    if (kSlots != 0 || block.full) {
      sum = next;
    } else {
      // What is not there must not be multiplied by 0: it might be infinite.
      const auto counts = hn::Load(d, table.counts(number));
      sum = hn::IfThenElse(hn::Lt(hn::Set(d, static_cast<T>(i)), counts), next, sum);
    }
  }
  return sum;
}

// Sums that are kept for the next pass.
struct Kept {
  template <class D, typename T>
  static HWY_INLINE void put(D d, hn::Vec<D> sums, T* to) {
    hn::StoreU(sums, d, to);
  }
};

// The targets of a line, in whole vectors: `to` has room for them.
template <class Put, class D, typename Out, typename T = hn::TFromD<D>>
HWY_NOINLINE void weigh_line(D d, const resample::LaneTable<T>& table, T start, const T* HWY_RESTRICT line,
                             Out* HWY_RESTRICT to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t b = 0; b < table.blocks(); ++b, to += lanes) {
    const auto& block = table.block(b);
    if (block.full && !block.gathers && block.slots == 2) {
      Put::put(d, weigh_block<2>(d, table, b, start, line), to);
    } else if (block.full && !block.gathers && block.slots == 4) {
      Put::put(d, weigh_block<4>(d, table, b, start, line), to);
    } else {
      Put::put(d, weigh_block<0>(d, table, b, start, line), to);
    }
  }
}

// `count` neighbouring targets, each the weighted sum of what the lines have at its place.
template <std::int64_t kTaps, class Put, class D, typename Out, typename T = hn::TFromD<D>>
HWY_INLINE void weigh_lines_by(D d, T start, const T* const* HWY_RESTRICT lines,
                               const T* HWY_RESTRICT weights, std::int64_t taps, std::int64_t begin,
                               std::int64_t count, Out* HWY_RESTRICT to) {
  constexpr std::int64_t kVectors = 4;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t last_tap = kTaps == 0 ? taps : kTaps;
  std::int64_t i = 0;
  for (; i + kVectors * lanes <= count; i += kVectors * lanes) {
    hn::Vec<D> sums[kVectors];
    for (auto& sum : sums) sum = hn::Set(d, start);
    for (std::int64_t tap = 0; tap < last_tap; ++tap) {
      const auto weight = hn::Set(d, weights[tap]);
      const T* line = lines[tap] + begin + i;
      for (std::int64_t v = 0; v < kVectors; ++v)
        sums[v] = hn::Add(sums[v], hn::Mul(weight, hn::LoadU(d, line + v * lanes)));
    }
    for (std::int64_t v = 0; v < kVectors; ++v) Put::put(d, sums[v], to + i + v * lanes);
  }
  for (; i + lanes <= count; i += lanes) {
    auto sum = hn::Set(d, start);
    for (std::int64_t tap = 0; tap < last_tap; ++tap)
      sum = hn::Add(sum, hn::Mul(hn::Set(d, weights[tap]), hn::LoadU(d, lines[tap] + begin + i)));
    Put::put(d, sum, to + i);
  }
  // However many taps, what no vector fills is so little that one way will do.
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (i < count)
      weigh_lines_by<0, Put>(hn::Half<D>(), start, lines, weights, taps, begin + i, count - i, to + i);
  }
}

// Not inlined, nor what is below: of all that these are called by, each would have a copy of its own, and
// compilers take a minute for them.
template <class Put, class D, typename Out, typename T = hn::TFromD<D>>
HWY_NOINLINE void weigh_lines(D d, T start, const T* const* lines, const T* weights, std::int64_t taps,
                              std::int64_t begin, std::int64_t count, Out* to) {
  if (taps == 1) return weigh_lines_by<1, Put>(d, start, lines, weights, taps, begin, count, to);
  if (taps == 2) return weigh_lines_by<2, Put>(d, start, lines, weights, taps, begin, count, to);
  if (taps == 4) return weigh_lines_by<4, Put>(d, start, lines, weights, taps, begin, count, to);
  weigh_lines_by<0, Put>(d, start, lines, weights, taps, begin, count, to);
}

// Two rows of targets that are made of the same lines; the vectors are read once.
template <int kTaps, class Put, class D, typename Out, typename T = hn::TFromD<D>>
HWY_NOINLINE void weigh_two_rows(D d, const T* const* HWY_RESTRICT lines, const T* HWY_RESTRICT weights,
                                 const T* HWY_RESTRICT other_weights, std::int64_t count,
                                 Out* HWY_RESTRICT to, Out* HWY_RESTRICT other) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<D> own[kTaps], others[kTaps];
  for (int tap = 0; tap < kTaps; ++tap) {
    own[tap] = hn::Set(d, weights[tap]);
    others[tap] = hn::Set(d, other_weights[tap]);
  }
  for (std::int64_t i = 0; i < count; i += lanes) {
    // The last vector may compute some targets again.
    i = std::min(i, count - lanes);
    const auto first = hn::LoadU(d, lines[0] + i);
    auto sum = hn::Mul(own[0], first);
    auto other_sum = hn::Mul(others[0], first);
    for (int tap = 1; tap < kTaps; ++tap) {
      const auto value = hn::LoadU(d, lines[tap] + i);
      sum = hn::Add(sum, hn::Mul(own[tap], value));
      other_sum = hn::Add(other_sum, hn::Mul(others[tap], value));
    }
    Put::put(d, sum, to + i);
    Put::put(d, other_sum, other + i);
  }
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
