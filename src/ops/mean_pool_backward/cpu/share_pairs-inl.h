// Sums of shares where windows are two apart along W: the cells at even places of a row side by side, and
// those at odd places, each of which take neighbouring shares; they meet when they are stored. One core of a
// Xeon, least ms with it and with shares spread over the cells first: a2-k3s2 FLOAT16 7.8 and 13.8, a3-k3s2
// FLOAT 9.9 and 20.

#if defined(CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARE_PAIRS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARE_PAIRS_INL_H_
#undef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARE_PAIRS_INL_H_
#else
#define CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARE_PAIRS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/mean_pool_backward/cpu/shares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool_backward::HWY_NAMESPACE {

// Cell 2 * i + phase lies in the windows from i + first[phase] to i + last[phase].
struct Phases {
  explicit constexpr Phases(const MeanAxis& w)
      : first{(w.padding - w.kernel + 2) >> 1, (w.padding - w.kernel + 3) >> 1},
        last{w.padding >> 1, (w.padding + 1) >> 1} {}

  // Such as windows of three cells and a padding of one.
  constexpr bool is_one_and_two() const {
    return first[0] == last[0] && first[1] == first[0] && last[1] == first[1] + 1;
  }

  std::int64_t first[2], last[2];
};

// Vectors of the cells at even places and of those at odd ones, put in turn.
template <class D>
HWY_INLINE void interleave(D d, hn::Vec<D> even, hn::Vec<D> odd, hn::Vec<D>& low, hn::Vec<D>& high) {
#if HWY_TARGET <= HWY_AVX3
  const hn::RebindToUnsigned<D> du;
  using Place = hn::TFromD<decltype(du)>;
  const auto count = hn::Iota(du, 0);
  const auto half = hn::ShiftRight<1>(count);
  const auto lanes = static_cast<Place>(hn::Lanes(d));
  // Odd places are of the second vector.
  const auto places =
      hn::Add(half, hn::ShiftLeft < sizeof(Place) == 4 ? 4 : 3 > (hn::And(count, hn::Set(du, 1))));
  const auto behind = hn::Add(places, hn::Set(du, lanes / 2));
  if constexpr (sizeof(Place) == 4) {
    low = hn::Vec<D>{_mm512_permutex2var_ps(even.raw, places.raw, odd.raw)};
    high = hn::Vec<D>{_mm512_permutex2var_ps(even.raw, behind.raw, odd.raw)};
  } else {
    low = hn::Vec<D>{_mm512_permutex2var_pd(even.raw, places.raw, odd.raw)};
    high = hn::Vec<D>{_mm512_permutex2var_pd(even.raw, behind.raw, odd.raw)};
  }
#elif HWY_TARGET == HWY_SCALAR
  (void)d;
  low = even;
  high = odd;
#else
  low = hn::InterleaveLower(d, even, odd);
  high = hn::InterleaveUpper(d, even, odd);
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) > 16) {
    const auto lower = low;
    low = hn::ConcatLowerLower(d, high, lower);
    high = hn::ConcatUpperUpper(d, high, lower);
  }
#endif
}

// Halves of even and of odd places, as one vector of pairs.
template <typename T, class D>
HWY_INLINE hn::Vec<hn::RebindToUnsigned<D>> half_pairs(D d, hn::Vec<D> even, hn::Vec<D> odd) {
  const hn::RebindToUnsigned<D> du;
  if constexpr (std::is_same_v<T, Bfloat16>) {
    return hn::Or(hn::ShiftRight<16>(round_to_bfloat16(d, even)),
                  hn::And(round_to_bfloat16(d, odd), hn::Set(du, 0xFFFF0000u)));
  } else {
    const auto low = narrow_to_float16(d, with_one_nan(d, even));
    const auto high = narrow_to_float16(d, with_one_nan(d, odd));
#if HWY_TARGET <= HWY_AVX3
    const auto places = hn::Or(hn::Iota(du, 0), hn::ShiftLeft<16>(hn::Iota(du, 32)));
    return hn::Vec<decltype(du)>{_mm512_permutex2var_epi16(_mm512_castsi256_si512(low.raw), places.raw,
                                                           _mm512_castsi256_si512(high.raw))};
#else
    return hn::Or(hn::PromoteTo(du, low), hn::ShiftLeft<16>(hn::PromoteTo(du, high)));
#endif
  }
}

// Half of them, where elements are as long as sums, are one vector.
template <class Put, class D, typename T>
HWY_INLINE void put_half_of_pairs(D d, hn::Vec<D> even, hn::Vec<D> odd, T* HWY_RESTRICT to) {
  hn::Vec<D> low, high;
  interleave(d, even, odd, low, high);
  Put::put(d, low, to);
}
template <class Put, class D, typename T>
HWY_INLINE void put_pairs(D d, hn::Vec<D> even, hn::Vec<D> odd, T* HWY_RESTRICT to) {
  constexpr bool kStreams = std::is_same_v<Put, Streamed>;
  if constexpr (hn::MaxLanes(D()) == 1) {
    store_sums(d, even, to);
    store_sums(d, odd, to + 1);
  } else if constexpr (sizeof(T) == 2) {
    const hn::Repartition<std::uint8_t, D> bytes;
    const auto pairs = hn::BitCast(bytes, half_pairs<T>(d, even, odd));
    if constexpr (kStreams) {
      hn::Stream(pairs, bytes, reinterpret_cast<std::uint8_t*>(to));
    } else {
      hn::StoreU(pairs, bytes, reinterpret_cast<std::uint8_t*>(to));
    }
  } else {
    hn::Vec<D> low, high;
    interleave(d, even, odd, low, high);
    Put::put(d, low, to);
    Put::put(d, high, to + hn::Lanes(d));
  }
}

// What lies one further than a vector, given the next one too: it was stored just now, vector by vector, and
// cannot be loaded soon in any other way.
template <class D>
HWY_INLINE hn::Vec<D> one_further([[maybe_unused]] D d, hn::Vec<D> from, hn::Vec<D> next) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    const auto bits = _mm512_alignr_epi32(_mm512_castps_si512(next.raw), _mm512_castps_si512(from.raw), 1);
    return hn::Vec<D>{_mm512_castsi512_ps(bits)};
  } else {
    const auto bits = _mm512_alignr_epi64(_mm512_castpd_si512(next.raw), _mm512_castpd_si512(from.raw), 1);
    return hn::Vec<D>{_mm512_castsi512_pd(bits)};
  }
#elif HWY_TARGET == HWY_SCALAR
  (void)from;
  return next;
#else
  constexpr int kBytes = sizeof(hn::TFromD<D>);
  if constexpr (hn::MaxLanes(D()) * kBytes == 16) {
    return hn::CombineShiftRightBytes<kBytes>(d, next, from);
  } else {
    return hn::CombineShiftRightBytes<kBytes>(d, hn::ConcatLowerUpper(d, next, from), from);
  }
#endif
}

// Some vectors of pairs of cells, from `pair` on.
template <int kVectors, class Put, bool kOneAndTwo, bool kHalf = false, typename T>
HWY_INLINE void sum_pair_vectors(const Phases& phases, const SumOf<T>* const* lines, std::int64_t count,
                                 std::int64_t pair, T* HWY_RESTRICT to) {
  const hn::ScalableTag<SumOf<T>> d;
  using V = hn::Vec<decltype(d)>;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  V even[kVectors], odd[kVectors];
  for (int v = 0; v < kVectors; ++v) even[v] = odd[v] = hn::Zero(d);
  for (std::int64_t line = 0; line < count; ++line) {
    const SumOf<T>* at = lines[line] + pair;
    if constexpr (kOneAndTwo) {
      V shares[kVectors + 1];
      for (int v = 0; v <= kVectors; ++v) shares[v] = hn::LoadU(d, at + phases.first[0] + v * width);
      for (int v = 0; v < kVectors; ++v) {
        even[v] = hn::Add(even[v], shares[v]);
        odd[v] = hn::Add(hn::Add(odd[v], shares[v]), one_further(d, shares[v], shares[v + 1]));
      }
    } else {
      for (std::int64_t w = phases.first[0]; w <= phases.last[0]; ++w)
        for (int v = 0; v < kVectors; ++v) even[v] = hn::Add(even[v], hn::LoadU(d, at + w + v * width));
      for (std::int64_t w = phases.first[1]; w <= phases.last[1]; ++w)
        for (int v = 0; v < kVectors; ++v) odd[v] = hn::Add(odd[v], hn::LoadU(d, at + w + v * width));
    }
  }
  if constexpr (kHalf) return put_half_of_pairs<Put>(d, even[0], odd[0], to);
  for (int v = 0; v < kVectors; ++v) put_pairs<Put>(d, even[v], odd[v], to + std::int64_t{2} * v * width);
}

// Each line begins with the share of window 0; there is nothing, as far as windows reach, in front of them
// and behind them.
template <class Put, bool kOneAndTwo, typename T>
HWY_INLINE void sum_phases_into(const Phases& phases, const SumOf<T>* const* lines, std::int64_t count,
                                std::int64_t cells, T* HWY_RESTRICT to) {
  constexpr std::int64_t kPairs{2 * hn::MaxLanes(hn::ScalableTag<SumOf<T>>())};
  std::int64_t at = 0;
  for (; at + 4 * kPairs <= cells; at += 4 * kPairs)
    sum_pair_vectors<4, Put, kOneAndTwo>(phases, lines, count, at / 2, to + at);
  if (at + 3 * kPairs <= cells) {
    sum_pair_vectors<3, Put, kOneAndTwo>(phases, lines, count, at / 2, to + at);
    at += 3 * kPairs;
  } else if (at + 2 * kPairs <= cells) {
    sum_pair_vectors<2, Put, kOneAndTwo>(phases, lines, count, at / 2, to + at);
    at += 2 * kPairs;
  }
  if (at + kPairs <= cells) {
    sum_pair_vectors<1, Put, kOneAndTwo>(phases, lines, count, at / 2, to + at);
    at += kPairs;
  }
  if (at == cells) return;
  // A line that was streamed is not written again: it would have to come back first. One thread of an EPYC,
  // 4096 planes of 112x112, 3 s2, FLOAT: least 9.7 ms, and 21.3 with that.
  if constexpr (std::is_same_v<SumOf<T>, T> && kPairs > 2)
    if (cells - at == kPairs / 2)
      return sum_pair_vectors<1, Put, kOneAndTwo, true>(phases, lines, count, at / 2, to + at);
  // The last vector may sum cells of the one before again.
  if (cells >= kPairs && cells % 2 == 0)
    return sum_pair_vectors<1, Stored, kOneAndTwo>(phases, lines, count, (cells - kPairs) / 2,
                                                   to + cells - kPairs);
  alignas(64) T last[kPairs];
  sum_pair_vectors<1, Stored, kOneAndTwo>(phases, lines, count, at / 2, last);
  std::copy_n(last, cells - at, to + at);
}
template <class Put, typename T>
HWY_INLINE void sum_pairs_into(const Phases& phases, const SumOf<T>* const* lines, std::int64_t count,
                               std::int64_t cells, T* to) {
  if (phases.is_one_and_two())
    sum_phases_into<Put, true>(phases, lines, count, cells, to);
  else
    sum_phases_into<Put, false>(phases, lines, count, cells, to);
}

// The same through the writer. The lines are left where they end.
template <typename T>
HWY_INLINE void write_pairs(const Phases& phases, const SumOf<T>** lines, std::int64_t count,
                            std::int64_t cells, T* to, StreamWriter& writer) {
  if (writer.takes_lines(to, cells)) return sum_pairs_into<Streamed>(phases, lines, count, cells, to);
  constexpr std::int64_t kPiece = StreamWriter::kRoom / sizeof(T);
  for (std::int64_t at = 0; at < cells; at += kPiece) {
    const std::int64_t piece = std::min(kPiece, cells - at);
    sum_pairs_into<Stored>(phases, lines, count, piece, writer.room(to + at, piece));
    for (std::int64_t line = 0; line < count; ++line) lines[line] += piece / 2;
  }
}

}  // namespace cairn::mean_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
