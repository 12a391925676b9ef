// Sums over boxes of gradOut, vectors of cells at a time. Every cell is one chain of additions, ascending in
// D, H, W.

#if defined(CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_
#undef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_
#else
#define CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_
#endif

#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/convert-inl.h"
#include "ops/upsample_nearest_backward/cpu/axis.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using cairn::HWY_NAMESPACE::HalfBits;
using cairn::HWY_NAMESPACE::load_float;
using cairn::HWY_NAMESPACE::store_sums;
using cairn::HWY_NAMESPACE::widen_float16;
using cairn::HWY_NAMESPACE::with_one_nan;

template <typename T>
using SumOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const double* HWY_RESTRICT from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE void store_sums(D d, hn::Vec<D> v, double* HWY_RESTRICT to) {
  hn::StoreU(with_one_nan(d, v), d, to);
}

// Splits 2 * Lanes(d) neighbours into those at even and those at odd places.
template <class D, typename T>
HWY_INLINE void load_pairs(D d, const T* HWY_RESTRICT from, hn::Vec<D>& even, hn::Vec<D>& odd) {
  hn::LoadInterleaved2(d, from, even, odd);
}
template <class D>
HWY_INLINE void load_pairs(D d, const Float16* HWY_RESTRICT from, hn::Vec<D>& even, hn::Vec<D>& odd) {
  hn::Vec<HalfBits<D>> even_bits, odd_bits;
  hn::LoadInterleaved2(HalfBits<D>(), reinterpret_cast<const std::uint16_t*>(from), even_bits, odd_bits);
  even = widen_float16(d, even_bits);
  odd = widen_float16(d, odd_bits);
}
template <class D>
HWY_INLINE void load_pairs(D d, const Bfloat16* HWY_RESTRICT from, hn::Vec<D>& even, hn::Vec<D>& odd) {
  const hn::RebindToUnsigned<D> du;
  const hn::Repartition<std::uint8_t, D> bytes;
  const auto pairs = hn::BitCast(du, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
  even = hn::BitCast(d, hn::ShiftLeft<16>(pairs));
  odd = hn::BitCast(d, hn::And(pairs, hn::Set(du, 0xFFFF0000u)));
}

// How a vector of cells takes what it is due from a line.
struct OneEach {
  static constexpr std::int64_t kWidth = 1;
  template <class D, typename T>
  static HWY_INLINE hn::Vec<D> add(D d, hn::Vec<D> sum, const T* line) {
    return hn::Add(sum, load_float(d, line));
  }
};
struct TwoEach {
  static constexpr std::int64_t kWidth = 2;
  template <class D, typename T>
  static HWY_INLINE hn::Vec<D> add(D d, hn::Vec<D> sum, const T* line) {
    if constexpr (hn::MaxLanes(D()) == 1) {
      return hn::Add(hn::Add(sum, load_float(d, line)), load_float(d, line + 1));
    } else {
      hn::Vec<D> even, odd;
      load_pairs(d, line, even, odd);
      return hn::Add(hn::Add(sum, even), odd);
    }
  }
};

// Where the lines lie that fall to one line of cells, counted from the first of them.
struct Lines {
  static constexpr std::int64_t kMost = 256;
  std::int64_t count = 0;
  std::int64_t offsets[kMost];
};

// Sums in registers, a piece of every line at each step.
template <std::size_t kVectors, class Take, class D, typename T>
HWY_INLINE void sum_vectors(D d, const Lines& lines, const T* HWY_RESTRICT first, T* HWY_RESTRICT to) {
  const auto lanes = hn::Lanes(d);
  hn::Vec<D> sums[kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::int64_t i = 0; i < lines.count; ++i) {
    const T* line = first + lines.offsets[i];
    for (std::size_t v = 0; v < kVectors; ++v)
      sums[v] = Take::add(d, sums[v], line + v * lanes * Take::kWidth);
  }
  for (std::size_t v = 0; v < kVectors; ++v) store_sums(d, sums[v], to + v * lanes);
}

constexpr std::int64_t kMostVectors = 8;

// The last vector may sum cells of the one before again.
template <class Take, class D, typename T>
HWY_INLINE void sum_cells(D d, const Lines& lines, const T* first, std::int64_t count, T* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (count < lanes) return sum_cells<Take>(hn::Half<D>(), lines, first, count, to);
  }
  std::int64_t cell = 0;
  for (; cell + kMostVectors * lanes <= count; cell += kMostVectors * lanes) {
    sum_vectors<kMostVectors, Take>(d, lines, first + cell * Take::kWidth, to + cell);
  }
  if (cell + 4 * lanes <= count) {
    sum_vectors<4, Take>(d, lines, first + cell * Take::kWidth, to + cell);
    cell += 4 * lanes;
  }
  for (; cell + lanes <= count; cell += lanes) {
    sum_vectors<1, Take>(d, lines, first + cell * Take::kWidth, to + cell);
  }
  if (cell < count)
    sum_vectors<1, Take>(d, lines, first + (count - lanes) * Take::kWidth, to + count - lanes);
}

// Adds to `count` neighbouring sums what each is due from a line.
template <class Take, class D, typename T>
HWY_INLINE void add_to_sums(D d, SumOf<T>* HWY_RESTRICT sums, const T* HWY_RESTRICT line,
                            std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t cell = 0;
  for (; cell + lanes <= count; cell += lanes) {
    hn::StoreU(Take::add(d, hn::LoadU(d, sums + cell), line + cell * Take::kWidth), d, sums + cell);
  }
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (cell < count) {
      add_to_sums<Take>(hn::Half<D>(), sums + cell, line + cell * Take::kWidth, count - cell);
    }
  }
}

// Adds `taps` lines, `stride` apart, one after the other.
template <class D, typename T>
HWY_INLINE void add_lines(D d, SumOf<T>* HWY_RESTRICT sums, const T* HWY_RESTRICT line, std::int64_t count,
                          std::int64_t taps, std::int64_t stride) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t cell = 0;
  for (; cell + lanes <= count; cell += lanes) {
    auto sum = hn::LoadU(d, sums + cell);
    for (std::int64_t tap = 0; tap < taps; ++tap)
      sum = hn::Add(sum, load_float(d, line + cell + tap * stride));
    hn::StoreU(sum, d, sums + cell);
  }
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (cell < count) add_lines(hn::Half<D>(), sums + cell, line + cell, count - cell, taps, stride);
  }
}

// Rounds sums to what is stored.
template <class D, typename T>
HWY_INLINE void round_sums(D d, const SumOf<T>* HWY_RESTRICT sums, std::int64_t count, T* HWY_RESTRICT to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t cell = 0;
  for (; cell + lanes <= count; cell += lanes) store_sums(d, hn::LoadU(d, sums + cell), to + cell);
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (cell < count) round_sums(hn::Half<D>(), sums + cell, count - cell, to + cell);
  }
}

#undef CAIRN_PERMUTES_LINES
#if HWY_TARGET != HWY_SCALAR
#define CAIRN_PERMUTES_LINES 1

template <class D>
using IndexVec = hn::Vec<hn::RebindToSigned<D>>;

// Indices that pick lanes of D, from a table of 32-bit ones.
template <class D>
HWY_INLINE IndexVec<D> load_indices(D /*d*/, const std::int32_t* from) {
  const hn::RebindToSigned<D> di;
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(std::int32_t)) {
    return hn::LoadU(di, from);
  } else {
    return hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::int32_t, D>(), from));
  }
}

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
HWY_INLINE void sum_windows(D d, const WindowTable& table, Range cells, const Lines& lines,
                            const T* HWY_RESTRICT first, SumOf<T>* HWY_RESTRICT sums) {
  const std::size_t lanes = hn::Lanes(d);
  const hn::RebindToSigned<D> di;
  const std::int32_t taps = kTaps == 0 ? table.taps() : kTaps;
  const auto chunks = (static_cast<std::size_t>(cells.count()) + lanes - 1) / lanes;
  const std::int64_t* windows = table.windows(cells.begin);
  const std::int32_t* lows = table.lows(cells.begin);
  const std::int32_t* highs = table.highs(cells.begin);
  for (std::int64_t i = 0; i < lines.count; ++i) {
    const T* line = first + lines.offsets[i];
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      const T* from = line + windows[chunk];
      hn::Vec<D> window[kVectors];
      for (std::size_t v = 0; v < kVectors; ++v) window[v] = load_float(d, from + v * lanes);
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
void sum_windows(D d, const WindowTable& table, Range cells, const Lines& lines, const T* first,
                 SumOf<T>* sums) {
  if (table.taps() == 2) {
    sum_windows<kVectors, 2>(d, table, cells, lines, first, sums);
  } else {
    sum_windows<kVectors, 0>(d, table, cells, lines, first, sums);
  }
}

#if HWY_TARGET <= HWY_AVX3
// Halves are picked as they are, before they widen: 32 of them fit a vector. Cells have two positions at
// most.
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
    const __m512i picked = _mm512_maskz_permutexvar_epi16(mask, place, window);
    if constexpr (std::is_same_v<Half, Float16>) {
      return hn::Vec<hn::ScalableTag<float>>{_mm512_cvtph_ps(_mm512_castsi512_si256(picked))};
    } else {
      return hn::Vec<hn::ScalableTag<float>>{_mm512_castsi512_ps(picked)};
    }
  }
};

template <std::size_t kVectors, typename Half>
void sum_half_windows(const WindowTable& table, Range cells, const Lines& lines, const Half* first,
                      float* sums) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<std::int32_t> di;
  // Elements that are asked of memory ahead of their use: what some rows of cells further on read.
  constexpr std::int64_t kAhead = 1024;
  const std::int64_t* windows = table.windows(cells.begin);
  for (std::int64_t i = 0; i < cells.count(); i += 16) {
    const auto low = hn::LoadU(di, table.lows(cells.begin) + i);
    const auto end = hn::LoadU(di, table.highs(cells.begin) + i);
    const auto next = hn::Add(low, hn::Set(di, 1));
    const HalfPick<Half> one(low.raw, hn::Lt(low, end).raw);
    const HalfPick<Half> two(next.raw, hn::Lt(next, end).raw);
    const Half* from = first + windows[i / 16];
    auto sum = hn::Zero(d);
    for (std::int64_t line = 0; line < lines.count; ++line) {
      const Half* here = from + lines.offsets[line];
      hwy::Prefetch(here + kAhead);
      const __m512i window =
          kVectors == 1 ? _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(here)))
                        : _mm512_loadu_si512(here);
      sum = hn::Add(hn::Add(sum, one(window)), two(window));
    }
    hn::Store(sum, d, sums + i);
  }
}
#endif

template <class D, typename T>
HWY_INLINE void sum_windows(D d, const WindowTable& table, Range cells, const Lines& lines, const T* first,
                            SumOf<T>* sums) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(T) == 2) {
    if (table.taps() <= 2 && table.vectors() == 1)
      return sum_half_windows<1>(table, cells, lines, first, sums);
    if (table.taps() <= 2 && table.vectors() == 2)
      return sum_half_windows<2>(table, cells, lines, first, sums);
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
    case 6:
      return sum_windows<6>(d, table, cells, lines, first, sums);
    default:
      return sum_windows<8>(d, table, cells, lines, first, sums);
  }
}
#endif

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
