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
// kVectors vectors of floats from `here` on, as elements, and no more. Halves are picked as they are, before
// they widen: 32 of them fit a vector, and two vectors make a window.
template <std::size_t kVectors, typename Half>
struct Window {
  __m512i near;
  __m512i far;

  HWY_INLINE explicit Window(const Half* here) : near(load<kVectors>(here)) {
    if constexpr (kVectors > 2) far = load<kVectors - 2>(here + 32);
  }
  // With zero where the mask says so.
  HWY_INLINE __m512i pick(__mmask32 mask, __m512i place) const {
    if constexpr (kVectors > 2) return _mm512_maskz_permutex2var_epi16(mask, near, place, far);
    return _mm512_maskz_permutexvar_epi16(mask, place, near);
  }

 private:
  template <std::size_t kCount>
  static HWY_INLINE __m512i load(const Half* here) {
    if constexpr (kCount == 1)
      return _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(here)));
    return _mm512_loadu_si512(here);
  }
};
template <std::size_t kVectors>
struct Window<kVectors, float> {
  __m512 v[kVectors];

  HWY_INLINE explicit Window(const float* here) {
    for (std::size_t i = 0; i < kVectors; ++i) v[i] = _mm512_loadu_ps(here + 16 * i);
  }
};

// What 16 cells, the first of them `cell`, take of a window as their position of this number: +0.0 where they
// have no such one.
template <std::size_t kVectors, typename T>
struct Pick;
template <std::size_t kVectors>
struct Pick<kVectors, Float16> {
  __m512i place;
  __mmask32 mask;

  HWY_INLINE Pick(const WindowTable& table, std::int64_t cell, std::int16_t number) {
    const auto load = [](const std::int16_t* from)
                          HWY_ATTR { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); };
    const __m256i low = _mm256_add_epi16(load(table.short_lows(cell)), _mm256_set1_epi16(number));
    place = _mm512_castsi256_si512(low);
    mask = _mm256_cmplt_epi16_mask(low, load(table.short_highs(cell)));
  }
  HWY_INLINE __m512 operator()(const Window<kVectors, Float16>& window) const {
    return _mm512_cvtph_ps(_mm512_castsi512_si256(window.pick(mask, place)));
  }
};
template <std::size_t kVectors>
struct Pick<kVectors, Bfloat16> {
  __m512i place;
  __mmask32 mask;

  // Straight into the upper half of a float.
  HWY_INLINE Pick(const WindowTable& table, std::int64_t cell, std::int32_t number) {
    const __m512i low = _mm512_add_epi32(_mm512_loadu_si512(table.lows(cell)), _mm512_set1_epi32(number));
    place = _mm512_slli_epi32(low, 16);
    mask = _mm512_cmplt_epi16_mask(place, _mm512_slli_epi32(_mm512_loadu_si512(table.highs(cell)), 16));
  }
  HWY_INLINE __m512 operator()(const Window<kVectors, Bfloat16>& window) const {
    return _mm512_castsi512_ps(window.pick(mask, place));
  }
};
template <std::size_t kVectors>
struct Pick<kVectors, float> {
  __m512i place;
  __mmask16 mask;
  __mmask16 far;  // of those, the ones that lie past two vectors

  HWY_INLINE Pick(const WindowTable& table, std::int64_t cell, std::int32_t number) {
    place = _mm512_add_epi32(_mm512_loadu_si512(table.lows(cell)), _mm512_set1_epi32(number));
    mask = _mm512_cmplt_epi32_mask(place, _mm512_loadu_si512(table.highs(cell)));
    if constexpr (kVectors > 2) far = _mm512_mask_cmpgt_epi32_mask(mask, place, _mm512_set1_epi32(31));
  }
  HWY_INLINE __m512 operator()(const Window<kVectors, float>& window) const {
    const auto& v = window.v;
    if constexpr (kVectors == 1) return _mm512_maskz_permutexvar_ps(mask, place, v[0]);
    __m512 picked = _mm512_maskz_permutex2var_ps(mask, v[0], place, v[1 % kVectors]);
    if constexpr (kVectors == 3) picked = _mm512_mask_permutexvar_ps(picked, far, place, v[2]);
    return picked;
  }
};

// Cells have kTaps positions at most, so that 16 of them reach over kTaps vectors: where those lie is worked
// out once for all lines. One thread, n2-odd NCHW with everything in the cache, time with it and without:
// FLOAT 0.74, FLOAT16 0.69, BF16 0.77.
template <std::size_t kVectors, std::int32_t kTaps, typename T>
void sum_picked(const WindowTable& table, Span cells, const LineOffsets& lines, const T* first, float* sums) {
  // How far ahead elements are prefetched: what some rows of cells further on read.
  constexpr std::int64_t kAhead = 1024;
  constexpr std::int64_t kLine = 64 / sizeof(T);
  const std::int64_t* windows = table.windows(cells.begin);
  for (std::int64_t i = 0; i < cells.size(); i += 16) {
    const Pick<kVectors, T> one(table, cells.begin + i, 0);
    const Pick<kVectors, T> two(table, cells.begin + i, 1);
    const Pick<kVectors, T> three(table, cells.begin + i, 2);
    const T* from = first + windows[i / 16];
    __m512 sum = _mm512_setzero_ps();
    for (std::int64_t line = 0; line < lines.count; ++line) {
      const T* here = from + lines.offsets[line];
      for (std::int64_t k = 0; k < 16 * static_cast<std::int64_t>(kVectors); k += kLine)
        hwy::Prefetch(here + kAhead + k);
      const Window<kVectors, T> window(here);
      sum = _mm512_add_ps(_mm512_add_ps(sum, one(window)), two(window));
      if constexpr (kTaps == 3) sum = _mm512_add_ps(sum, three(window));
    }
    _mm512_store_ps(sums + i, sum);
  }
}

template <typename T>
bool try_picked(const WindowTable& table, Span cells, const LineOffsets& lines, const T* first, float* sums) {
  if (table.taps() <= 2 && table.vectors() == 1) {
    sum_picked<1, 2>(table, cells, lines, first, sums);
  } else if (table.taps() <= 2 && table.vectors() == 2) {
    sum_picked<2, 2>(table, cells, lines, first, sums);
  } else if (table.taps() == 3 && table.vectors() == 3) {
    sum_picked<3, 3>(table, cells, lines, first, sums);
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
  if constexpr (sizeof(T) <= 4) {
    if (try_picked(table, cells, lines, first, sums)) return;
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
