// Lines of twice as many positions as cells, with cubic weights: what the positions give back to each cell.

#if defined(CAIRN_OPS_KIT_CPU_RESAMPLE_CUBIC_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_RESAMPLE_CUBIC_LINES_INL_H_
#undef CAIRN_OPS_KIT_CPU_RESAMPLE_CUBIC_LINES_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_RESAMPLE_CUBIC_LINES_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"
#include "ops/kit/cpu/resample/cubic_taps.h"
#include "ops/kit/cpu/resample/doubling-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Sums begin with the first term: of all zeros the last pass makes +0.0.
template <class V>
HWY_INLINE V weighted_sum(const V (&weights)[8], const V (&positions)[8]) {
  V total = hn::Mul(weights[0], positions[0]);
  for (int i = 1; i < 8; ++i) total = hn::Add(total, hn::Mul(weights[i], positions[i]));
  return total;
}

// The positions of a vector of cells, from three before the two that lie in each to three behind them.
template <class D>
struct EightPositions {
  using V = hn::Vec<D>;

  // Written out, it is compiled for the instruction set; one that GCC makes is not, and Neon does not
  // compile.
  HWY_INLINE EightPositions() {}  // NOLINT(modernize-use-equals-default)

  // `own` is the first position in the first cell. Before the first cell of a line and behind its last there
  // are none: zeros change no sum.
  template <typename In>
  HWY_INLINE void load_before(const In* own) {
    load_in_turn(D(), own - 3, of[0], of[1]);
    load_in_turn(D(), own - 1, of[2], of[3]);
  }
  template <typename In>
  HWY_INLINE void load_behind(const In* own) {
    load_in_turn(D(), own + 1, of[4], of[5]);
    load_in_turn(D(), own + 3, of[6], of[7]);
  }
  template <typename In>
  HWY_INLINE void begin_line(const LineShuffles<D>& shuffles, const In* own) {
    V odd;
    load_in_turn(D(), own, of[3], odd);
    of[2] = shuffles.before(hn::Zero(D()), odd);
    of[1] = shuffles.before(hn::Zero(D()), of[3]);
    of[0] = shuffles.before(hn::Zero(D()), of[2]);
  }
  template <typename In>
  HWY_INLINE void end_line(const LineShuffles<D>& shuffles, const In* own) {
    V even;
    load_in_turn(D(), own, even, of[4]);
    of[5] = shuffles.after(even, hn::Zero(D()));
    of[6] = shuffles.after(of[4], hn::Zero(D()));
    of[7] = shuffles.after(of[5], hn::Zero(D()));
  }

  V of[8];
};

// The weights of most cells, and of vectors that begin or end with an outer cell.
template <class D>
struct CubicLineWeights {
  using V = hn::Vec<D>;

  HWY_INLINE explicit CubicLineWeights(const resample::CubicTaps<hn::TFromD<D>>& taps) {
    const D d;
    for (int i = 0; i < 8; ++i) {
      inner[i] = hn::Set(d, taps.inner[i]);
      first[i] = hn::IfThenElse(hn::FirstN(d, 1), hn::Set(d, taps.first[i]), inner[i]);
      last[i] = hn::IfThenElse(hn::FirstN(d, hn::Lanes(d) - 1), inner[i], hn::Set(d, taps.last[i]));
    }
  }

  V inner[8], first[8], last[8];
};

// There are lanes and four cells at least; the last vectors may compute some again.
template <class D, typename In, typename T = hn::TFromD<D>>
HWY_INLINE void fold_cubic_line(D d, const CubicLineWeights<D>& weights, std::int64_t cells,
                                const In* HWY_RESTRICT line, T* HWY_RESTRICT to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const LineShuffles<D> shuffles;
  EightPositions<D> near;
  near.begin_line(shuffles, line);
  near.load_behind(line);
  hn::StoreU(weighted_sum(weights.first, near.of), d, to);
  for (std::int64_t i = lanes; i < cells - lanes; i += lanes) {
    const std::int64_t cell = std::min(i, cells - lanes - 2);
    near.load_before(line + 2 * cell);
    near.load_behind(line + 2 * cell);
    hn::StoreU(weighted_sum(weights.inner, near.of), d, to + cell);
  }
  near.load_before(line + 2 * (cells - lanes));
  near.end_line(shuffles, line + 2 * (cells - lanes));
  hn::StoreU(weighted_sum(weights.last, near.of), d, to + cells - lanes);
}

#if HWY_TARGET <= HWY_AVX3
// Two vectors after each other, the lanes from kFirst on.
template <int kFirst, class V>
HWY_INLINE V lanes_from(V low, V high) {
  if constexpr (std::is_same_v<V, hn::Vec<hn::ScalableTag<float>>>) {
    return V{_mm512_castsi512_ps(
        _mm512_alignr_epi32(_mm512_castps_si512(high.raw), _mm512_castps_si512(low.raw), kFirst))};
  } else {
    return V{_mm512_castsi512_pd(
        _mm512_alignr_epi64(_mm512_castpd_si512(high.raw), _mm512_castpd_si512(low.raw), kFirst))};
  }
}

// The same where cells fill two vectors or more. Vectors this long all cross cache lines, and cost twice
// then: positions are loaded once, and those of the cells before and behind come from their neighbours.
template <class D, typename In, typename T = hn::TFromD<D>>
HWY_INLINE void fold_cubic_vectors(D d, const CubicLineWeights<D>& weights, std::int64_t cells,
                                   const In* HWY_RESTRICT line, T* HWY_RESTRICT to) {
  using V = hn::Vec<D>;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  V even, odd, next_even, next_odd;
  V even_before = hn::Zero(d), odd_before = hn::Zero(d);
  load_in_turn(d, line, even, odd);
  const auto fold = [&](const V(&own)[8], std::int64_t i) HWY_ATTR {
    const V near[8] = {lanes_from<kLanes - 2>(odd_before, odd),
                       lanes_from<kLanes - 1>(even_before, even),
                       lanes_from<kLanes - 1>(odd_before, odd),
                       even,
                       odd,
                       lanes_from<1>(even, next_even),
                       lanes_from<1>(odd, next_odd),
                       lanes_from<2>(even, next_even)};
    hn::StoreU(weighted_sum(own, near), d, to + i);
    even_before = even, odd_before = odd;
    even = next_even, odd = next_odd;
  };
  load_in_turn(d, line + 2 * kLanes, next_even, next_odd);
  fold(weights.first, 0);
  for (std::int64_t i = kLanes; i < cells - kLanes; i += kLanes) {
    load_in_turn(d, line + 2 * (i + kLanes), next_even, next_odd);
    fold(weights.inner, i);
  }
  next_even = next_odd = hn::Zero(d);
  fold(weights.last, cells - kLanes);
}
#endif
#endif

// Some lines of a plane, `stride` apart; folded ones `room` apart.
template <class D, typename In, typename T = hn::TFromD<D>>
HWY_NOINLINE void fold_cubic_lines([[maybe_unused]] D d, [[maybe_unused]] const resample::CubicTaps<T>& taps,
                                   [[maybe_unused]] std::int64_t cells, [[maybe_unused]] std::int64_t lines,
                                   [[maybe_unused]] bool prefetches, [[maybe_unused]] const In* from,
                                   [[maybe_unused]] std::int64_t stride, [[maybe_unused]] T* to,
                                   [[maybe_unused]] std::int64_t room) {
#if HWY_TARGET != HWY_SCALAR
  const CubicLineWeights<D> weights(taps);
#if HWY_TARGET <= HWY_AVX3
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (cells % lanes == 0 && cells >= 2 * lanes) {
    for (std::int64_t i = 0; i < lines; ++i) {
      if (prefetches) prefetch_ahead(from + i * stride, 2 * cells);
      fold_cubic_vectors(d, weights, cells, from + i * stride, to + i * room);
    }
    return;
  }
#endif
  for (std::int64_t i = 0; i < lines; ++i) {
    if (prefetches) prefetch_ahead(from + i * stride, 2 * cells);
    fold_cubic_line(d, weights, cells, from + i * stride, to + i * room);
  }
#endif
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
