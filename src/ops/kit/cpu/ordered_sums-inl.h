// Sums of lines, many cells at a time: each cell's terms are added in the order of the lines, in float
// (double for double), and rounded once; a sum that is NaN is the one of half.h.

#if defined(CAIRN_OPS_KIT_CPU_ORDERED_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_ORDERED_SUMS_INL_H_
#undef CAIRN_OPS_KIT_CPU_ORDERED_SUMS_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_ORDERED_SUMS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/kit/cpu/convert-inl.h"
#include "ops/kit/cpu/ordered_sums.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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

struct FourEach {
  static constexpr std::int64_t kWidth = 4;
  template <class D, typename T>
  static HWY_INLINE hn::Vec<D> add(D d, hn::Vec<D> sum, const T* line) {
    if constexpr (hn::MaxLanes(D()) == 1) {
      for (std::int64_t i = 0; i < kWidth; ++i) sum = hn::Add(sum, load_float(d, line + i));
    } else {
#if HWY_TARGET != HWY_SCALAR
      // Those at even places of the even and of the odd ones, and so on.
      hn::Vec<D> even[2], odd[2];
      load_pairs(d, line, even[0], odd[0]);
      load_pairs(d, line + 2 * hn::Lanes(d), even[1], odd[1]);
      sum = hn::Add(sum, hn::ConcatEven(d, even[1], even[0]));
      sum = hn::Add(sum, hn::ConcatEven(d, odd[1], odd[0]));
      sum = hn::Add(sum, hn::ConcatOdd(d, even[1], even[0]));
      sum = hn::Add(sum, hn::ConcatOdd(d, odd[1], odd[0]));
#endif
    }
    return sum;
  }
};

// Adds to each of the sums of some vectors of neighbours three terms: one from `line` on, the one behind it
// and the next.
template <int kVectors, class D, typename T>
HWY_INLINE void add_three(D d, const T* line, hn::Vec<D> (&sums)[kVectors]) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
#if HWY_TARGET <= HWY_AVX3
  if constexpr (std::is_same_v<hn::Vec<D>, hn::Vec<hn::ScalableTag<float>>>) {
    // Vectors this long all cross cache lines, and cost twice then: what one lacks comes from its neighbours.
    const auto turned = [](hn::Vec<D> high, hn::Vec<D> low, auto by) HWY_ATTR {
      const auto bits =
          _mm512_alignr_epi32(_mm512_castps_si512(high.raw), _mm512_castps_si512(low.raw), by());
      return hn::Vec<D>{_mm512_castsi512_ps(bits)};
    };
    hn::Vec<D> middle[kVectors];
    for (int v = 0; v < kVectors; ++v) middle[v] = load_float(d, line + 1 + v * lanes);
    for (int v = 0; v < kVectors; ++v) {
      const auto before =
          v == 0 ? load_float(d, line)
                 : turned(middle[v], middle[v == 0 ? 0 : v - 1], std::integral_constant<int, 15>());
      const auto behind = v + 1 == kVectors ? load_float(d, line + 2 + v * lanes)
                                            : turned(middle[v + 1 == kVectors ? v : v + 1], middle[v],
                                                     std::integral_constant<int, 1>());
      sums[v] = hn::Add(hn::Add(hn::Add(sums[v], before), middle[v]), behind);
    }
    return;
  }
#endif
  for (std::int64_t i = 0; i < 3; ++i)
    for (int v = 0; v < kVectors; ++v) sums[v] = hn::Add(sums[v], load_float(d, line + i + v * lanes));
}

// Where sums go: through the cache, or past it in whole cache lines.
struct Stored {
  template <class D, typename T>
  static HWY_INLINE void put(D d, hn::Vec<D> sums, T* to) {
    store_sums(d, sums, to);
  }
};
struct Streamed {
  template <class D, typename T>
  static HWY_INLINE void put(D d, hn::Vec<D> sums, T* to) {
    stream_sums(d, sums, to);
  }
};

// Sums in registers, a piece of every line at each step.
template <std::size_t kVectors, class Take, class Put, class D, typename T>
HWY_INLINE void sum_vectors(D d, const LineOffsets& lines, const T* HWY_RESTRICT first, T* HWY_RESTRICT to) {
  const auto lanes = hn::Lanes(d);
  hn::Vec<D> sums[kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::int64_t i = 0; i < lines.count; ++i) {
    const T* line = first + lines.offsets[i];
    for (std::size_t v = 0; v < kVectors; ++v)
      sums[v] = Take::add(d, sums[v], line + v * lanes * Take::kWidth);
  }
  for (std::size_t v = 0; v < kVectors; ++v) Put::put(d, sums[v], to + v * lanes);
}

constexpr std::int64_t kMostVectors = 8;

// Fewer cells than two vectors have lanes. The second may sum cells of the first again.
template <class Take, class Put, class D, typename T>
HWY_INLINE void sum_few_cells(D d, const LineOffsets& lines, const T* first, std::int64_t count, T* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (count < lanes) return sum_few_cells<Take, Put>(hn::Half<D>(), lines, first, count, to);
  }
  for (std::int64_t cell = 0; cell < count; cell += lanes) {
    cell = std::min(cell, count - lanes);
    sum_vectors<1, Take, Put>(d, lines, first + cell * Take::kWidth, to + cell);
  }
}

// Any number of cells.
template <class Take, class Put, class D, typename T>
HWY_INLINE void sum_cells(D d, const LineOffsets& lines, const T* first, std::int64_t count, T* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (count < lanes) return sum_few_cells<Take, Put>(d, lines, first, count, to);
  std::int64_t cell = 0;
  for (; cell + kMostVectors * lanes <= count; cell += kMostVectors * lanes) {
    sum_vectors<kMostVectors, Take, Put>(d, lines, first + cell * Take::kWidth, to + cell);
  }
  if (cell + 4 * lanes <= count) {
    sum_vectors<4, Take, Put>(d, lines, first + cell * Take::kWidth, to + cell);
    cell += 4 * lanes;
  }
  // The last vector may sum cells of the one before again.
  for (; cell < count; cell += lanes) {
    cell = std::min(cell, count - lanes);
    sum_vectors<1, Take, Put>(d, lines, first + cell * Take::kWidth, to + cell);
  }
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

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
