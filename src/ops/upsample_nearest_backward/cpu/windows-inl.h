// Sums of cells that take a few neighbours each: a vector of cells reads a short window of a line and picks
// its terms from there.

#if defined(CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_WINDOWS_INL_H_
#undef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_WINDOWS_INL_H_
#else
#define CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_WINDOWS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/span.h"
#include "ops/upsample_nearest_backward/cpu/gathers-inl.h"
#include "ops/upsample_nearest_backward/cpu/sums-inl.h"
#include "ops/upsample_nearest_backward/cpu/window_table.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {

// The lanes at `place`, modulo what there is, of one vector or of two in a row.
template <class D>
HWY_INLINE hn::Vec<D> pick(D d, hn::Vec<D> source, IndexVec<D> place) {
  const hn::RebindToSigned<D> di;
  const auto last = hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(hn::Lanes(d) - 1));
  return hn::TableLookupLanes(source, hn::IndicesFromVec(d, hn::And(place, last)));
}
template <class D>
HWY_INLINE hn::Vec<D> pick([[maybe_unused]] D d, hn::Vec<D> low, hn::Vec<D> high, IndexVec<D> place) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(float)) {
    return hn::Vec<D>{_mm512_permutex2var_ps(low.raw, place.raw, high.raw)};
  } else {
    return hn::Vec<D>{_mm512_permutex2var_pd(low.raw, place.raw, high.raw)};
  }
#else
  const hn::RebindToSigned<D> di;
  const auto lanes = hn::Set(di, static_cast<hn::TFromD<decltype(di)>>(hn::Lanes(d)));
  const auto is_high = hn::RebindMask(d, hn::TestBit(place, lanes));
  return hn::IfThenElse(is_high, pick(d, high, place), pick(d, low, place));
#endif
}

template <std::size_t kVectors, class D>
HWY_INLINE hn::Vec<D> pick(D d, const hn::Vec<D> (&window)[kVectors], IndexVec<D> place) {
  const hn::RebindToSigned<D> di;
  using Index = hn::TFromD<decltype(di)>;
  if constexpr (kVectors == 1) return pick(d, window[0], place);
  auto picked = pick(d, window[0], window[1 % kVectors], place);
  for (std::size_t v = 2; v < kVectors; v += 2) {
    const auto here = hn::Gt(place, hn::Set(di, static_cast<Index>(v * hn::Lanes(d) - 1)));
    const auto later =
        v + 1 < kVectors ? pick(d, window[v], window[(v + 1) % kVectors], place) : pick(d, window[v], place);
    picked = hn::IfThenElse(hn::RebindMask(d, here), later, picked);
  }
  return picked;
}

// Sums of cells that have a few positions each: kTaps at most, or table.taps() if that is 0. Whole vectors:
// `sums` has room for them.
template <std::size_t kVectors, std::int32_t kTaps, class D, typename T>
HWY_INLINE void sum_windows(D d, const WindowTable& table, Span cells, const LineOffsets& lines,
                            const T* HWY_RESTRICT first, SumOf<T>* HWY_RESTRICT sums) {
  const std::size_t lanes = hn::Lanes(d);
  const hn::RebindToSigned<D> di;
  const std::int32_t taps = kTaps == 0 ? table.taps() : kTaps;
  const auto chunks = (static_cast<std::size_t>(cells.size()) + lanes - 1) / lanes;
  const std::int64_t* windows = table.windows(cells.begin);
  const std::int32_t* lows = table.lows(cells.begin);
  const std::int32_t* highs = table.highs(cells.begin);
  for (std::int64_t i = 0; i < lines.count; ++i) {
    const T* line = first + lines.offsets[i];
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const T* from = line + windows[chunk];
      hn::Vec<D> window[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) window[v] = sums::load_float(d, from + v * lanes);
      auto place = load_indices(d, lows + chunk * lanes);
      const auto end = load_indices(d, highs + chunk * lanes);
      auto sum = i == 0 ? hn::Zero(d) : hn::Load(d, sums + chunk * lanes);
      for (std::int32_t tap = 0; tap < taps; ++tap) {
        // A cell that has no more positions adds +0.0, which changes no sum that began with +0.0.
        sum = hn::Add(sum, hn::IfThenElseZero(hn::RebindMask(d, hn::Lt(place, end)), pick(d, window, place)));
        place = hn::Add(place, hn::Set(di, 1));
      }
      hn::Store(sum, d, sums + chunk * lanes);
    }
  }
}

template <std::size_t kVectors, class D, typename T>
void sum_windows(D d, const WindowTable& table, Span cells, const LineOffsets& lines, const T* first,
                 SumOf<T>* sums) {
  if (table.taps() == 2) {
    sum_windows<kVectors, 2>(d, table, cells, lines, first, sums);
  } else {
    sum_windows<kVectors, 0>(d, table, cells, lines, first, sums);
  }
}

#if HWY_TARGET <= HWY_AVX3
// Halves are picked as they are, before they widen: 32 of them fit a vector, and two vectors make a window.
template <typename Half>
struct HalfPick {
  __m512i place;
  __mmask32 mask;

  // Cell i of those that have a position at low[i].
  HalfPick(__m512i low, __mmask16 is_there) {
    if constexpr (std::is_same_v<Half, Float16>) {
      place = _mm512_castsi256_si512(_mm512_cvtepi32_epi16(low));
      mask = is_there;
    } else {
      // Straight into the upper half of a float.
      place = _mm512_slli_epi32(low, 16);
      mask = _mm512_movepi16_mask(_mm512_maskz_set1_epi32(is_there, INT32_MIN));
    }
  }
  HWY_INLINE hn::Vec<hn::ScalableTag<float>> operator()(__m512i window) const {
    return widened(_mm512_maskz_permutexvar_epi16(mask, place, window));
  }
  HWY_INLINE hn::Vec<hn::ScalableTag<float>> operator()(__m512i low, __m512i high) const {
    return widened(_mm512_maskz_permutex2var_epi16(mask, low, place, high));
  }

 private:
  static HWY_INLINE hn::Vec<hn::ScalableTag<float>> widened(__m512i picked) {
    if constexpr (std::is_same_v<Half, Float16>) {
      return hn::Vec<hn::ScalableTag<float>>{_mm512_cvtph_ps(_mm512_castsi512_si256(picked))};
    } else {
      return hn::Vec<hn::ScalableTag<float>>{_mm512_castsi512_ps(picked)};
    }
  }
};

// So many lanes of floats from `here` on, as halves, and no more.
template <std::size_t kVectors, typename Half>
HWY_INLINE __m512i load_halves(const Half* here) {
  if constexpr (kVectors == 1)
    return _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(here)));
  return _mm512_loadu_si512(here);
}

// Cells have kTaps positions at most.
template <std::size_t kVectors, std::int32_t kTaps, typename Half>
void sum_half_windows(const WindowTable& table, Span cells, const LineOffsets& lines, const Half* first,
                      float* sums) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<std::int32_t> di;
  // How far ahead elements are prefetched: what some rows of cells further on read.
  constexpr std::int64_t kAhead = 1024;
  const std::int64_t* windows = table.windows(cells.begin);
  for (std::int64_t i = 0; i < cells.size(); i += 16) {
    const auto low = hn::LoadU(di, table.lows(cells.begin) + i);
    const auto end = hn::LoadU(di, table.highs(cells.begin) + i);
    const auto tap = [&](std::int32_t number) HWY_ATTR {
      const auto place = hn::Add(low, hn::Set(di, number));
      return HalfPick<Half>(place.raw, hn::Lt(place, end).raw);
    };
    const HalfPick<Half> one = tap(0);
    const HalfPick<Half> two = tap(1);
    const HalfPick<Half> three = tap(2);
    const Half* from = first + windows[i / 16];
    auto sum = hn::Zero(d);
    for (std::int64_t line = 0; line < lines.count; ++line) {
      const Half* here = from + lines.offsets[line];
      hwy::Prefetch(here + kAhead);
      if constexpr (kVectors <= 2) {
        const __m512i window = load_halves<kVectors>(here);
        sum = hn::Add(hn::Add(sum, one(window)), two(window));
        if constexpr (kTaps == 3) sum = hn::Add(sum, three(window));
      } else {
        const __m512i near = load_halves<2>(here);
        const __m512i far = load_halves<kVectors - 2>(here + 32);
        sum = hn::Add(hn::Add(sum, one(near, far)), two(near, far));
        if constexpr (kTaps == 3) sum = hn::Add(sum, three(near, far));
      }
    }
    hn::Store(sum, d, sums + i);
  }
}

template <typename Half>
bool try_half_windows(const WindowTable& table, Span cells, const LineOffsets& lines, const Half* first,
                      float* sums) {
  if (table.taps() <= 2 && table.vectors() == 1) {
    sum_half_windows<1, 2>(table, cells, lines, first, sums);
  } else if (table.taps() <= 2 && table.vectors() == 2) {
    sum_half_windows<2, 2>(table, cells, lines, first, sums);
  } else if (table.taps() == 3 && table.vectors() == 3) {
    sum_half_windows<3, 3>(table, cells, lines, first, sums);
  } else if (table.taps() == 3 && table.vectors() == 4) {
    sum_half_windows<4, 3>(table, cells, lines, first, sums);
  } else {
    return false;
  }
  return true;
}
#endif

template <class D, typename T>
HWY_INLINE void sum_windows(D d, const WindowTable& table, Span cells, const LineOffsets& lines,
                            const T* first, SumOf<T>* sums) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(T) == 2) {
    if (try_half_windows(table, cells, lines, first, sums)) return;
  }
#endif
  switch (table.vectors()) {
    case 1:
      return sum_windows<1>(d, table, cells, lines, first, sums);
    case 2:
      return sum_windows<2>(d, table, cells, lines, first, sums);
    case 3:
      return sum_windows<3>(d, table, cells, lines, first, sums);
    case 4:
      return sum_windows<4>(d, table, cells, lines, first, sums);
    case 5:
      return sum_windows<5>(d, table, cells, lines, first, sums);
    case 6:
      return sum_windows<6>(d, table, cells, lines, first, sums);
    case 7:
      return sum_windows<7>(d, table, cells, lines, first, sums);
    default:
      return sum_windows<8>(d, table, cells, lines, first, sums);
  }
}

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
