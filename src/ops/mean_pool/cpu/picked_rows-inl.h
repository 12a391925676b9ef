// Halves in rows of at most eight windows that are all alike: a row of cells is two vectors, read once, and
// the first terms of its windows, the second and so on are picked from them. A vector of sums has two rows of
// windows.
// Two threads of a Xeon, least ms with it and with lines that are turned around (line_sums-inl.h): g2-56to7
// FLOAT16 5.0 and 5.0, BF16 2.8 and 4.8; g2-50to7 3.8 and 5.1, 3.7 and 8.5. In the cache of another, one
// thread: 24 us and 47, for both types.

#if defined(CAIRN_OPS_MEAN_POOL_CPU_PICKED_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MEAN_POOL_CPU_PICKED_ROWS_INL_H_
#undef CAIRN_OPS_MEAN_POOL_CPU_PICKED_ROWS_INL_H_
#else
#define CAIRN_OPS_MEAN_POOL_CPU_PICKED_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"
#include "ops/mean_pool/cpu/windows.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cairn::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3
template <typename T>
class PickedRows {
 public:
  // Picking takes as long for few windows as for eight, and for few terms as for eight or four.
  static bool takes(const Plan& p) {
    return sizeof(T) == 2 && p.self.w == 1 && p.values.w == 1 && p.w.out > 4 && p.w.out <= kWindows &&
           p.w.kernel >= 4 && p.w.kernel <= kTerms && cells(p) <= 2 * kRow;
  }

  explicit PickedRows(const Plan& p)
      : p_(p),
        terms_(p.w.kernel),
        first_cells_(mask_of(cells(p))),
        other_cells_(mask_of(cells(p) - kRow)),
        windows_(static_cast<__mmask8>((1U << p.w.out) - 1)) {
    for (std::int64_t i = 0; i < kTerms * kWindows; ++i) {
      const std::int64_t term = std::min(i / kWindows, p.w.kernel - 1);
      const std::int64_t window = std::min(i % kWindows, p.w.out - 1);
      places_[i] = static_cast<std::uint16_t>(window * p.w.stride + term);
    }
  }

  // Rows of windows, counted over all planes.
  void pool(std::int64_t begin, std::int64_t end) const {
    RowPlace at(p_, begin);
    for (std::int64_t row = begin; row < end; row += kRows) {
      Rows rows;
      for (std::int64_t i = 0; i < kRows; ++i) {
        if (row + i >= end) {
          rows.first[i] = rows.first[i - 1];
          rows.to[i] = nullptr;
          continue;
        }
        rows.first[i] =
            at.template self<T>(p_) + at.d * p_.d.stride * p_.self.d + at.h * p_.h.stride * p_.self.h;
        rows.to[i] = at.template values<T>(p_);
        at.step(p_);
      }
      pool_rows_of(rows);
    }
  }

 private:
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;
  static constexpr std::int64_t kWindows = 8;
  static constexpr std::int64_t kTerms = 8;
  static constexpr std::int64_t kRow = 32;  // cells of a vector
  // Rows of windows at a time: while an addition for two ends that for the others goes on.
  static constexpr std::int64_t kRows = 4;
  static constexpr std::int64_t kAhead = 8192;  // bytes

  struct Rows {
    const T* first[kRows];  // cell of each
    T* to[kRows];           // null where there is none
  };

  static std::int64_t cells(const Plan& p) { return (p.w.out - 1) * p.w.stride + p.w.kernel; }
  static __mmask32 mask_of(std::int64_t count) {
    return count >= kRow ? ~0U : count <= 0 ? 0 : (1U << count) - 1;
  }

  void pool_rows_of(const Rows& rows) const {
    const D d;
    V sums[kRows / 2];
    for (V& sum : sums) sum = hn::Zero(d);
    const std::int64_t lines = p_.d.kernel * p_.h.kernel;
    // As much as was read: all that lies there, where rows follow each other.
    const std::int64_t step = kRows * p_.h.stride * p_.self.h * std::int64_t{sizeof(T)} / lines;
    const std::int64_t bytes = std::min<std::int64_t>(step, kRows * p_.w.in * std::int64_t{sizeof(T)});
    const auto* ahead = reinterpret_cast<const char*>(rows.first[0]) + kAhead;
    for (std::int64_t i = 0; i < p_.d.kernel; ++i) {
      for (std::int64_t j = 0; j < p_.h.kernel; ++j, ahead += step) {
        const std::int64_t offset = i * p_.self.d + j * p_.self.h;
        for (std::int64_t b = 0; b < bytes; b += 64) hwy::Prefetch(ahead + b);
        for (std::int64_t pair = 0; pair < kRows / 2; ++pair)
          add_row(rows.first[2 * pair] + offset, rows.first[2 * pair + 1] + offset, sums[pair]);
      }
    }
    const auto by = hn::Set(d, static_cast<float>(p_.divisor.given[0]));
    for (std::int64_t pair = 0; pair < kRows / 2; ++pair) {
      alignas(64) T means[2 * kWindows];
      store_sums(d, hn::Div(sums[pair], by), means);
      for (std::int64_t i = 0; i < 2; ++i) {
        if (T* to = rows.to[2 * pair + i])
          _mm_mask_storeu_epi16(to, windows_,
                                _mm_load_si128(reinterpret_cast<const __m128i*>(means + i * kWindows)));
      }
    }
  }

  // To the sums of two rows of windows, the terms of a row of cells each, in order.
  HWY_INLINE void add_row(const T* low, const T* high, V& sum) const {
    const __m512i low_cells[2] = {_mm512_maskz_loadu_epi16(first_cells_, low),
                                  _mm512_maskz_loadu_epi16(other_cells_, low + kRow)};
    const __m512i high_cells[2] = {_mm512_maskz_loadu_epi16(first_cells_, high),
                                   _mm512_maskz_loadu_epi16(other_cells_, high + kRow)};
    add_terms(low_cells, high_cells, 0, sum);
    if (terms_ > 4) add_terms(low_cells, high_cells, 4, sum);
  }

  // Four terms from `first` on.
  HWY_INLINE void add_terms(const __m512i (&low)[2], const __m512i (&high)[2], std::int64_t first,
                            V& sum) const {
    const __m512i places = _mm512_load_si512(places_ + first * kWindows);
    const __m512i of_low = _mm512_permutex2var_epi16(low[0], places, low[1]);
    const __m512i of_high = _mm512_permutex2var_epi16(high[0], places, high[1]);
    // Two terms, each of both rows.
    const __m512i begin =
        _mm512_permutex2var_epi64(of_low, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11), of_high);
    const __m512i end =
        _mm512_permutex2var_epi64(of_low, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15), of_high);
    const auto add = [&](__m256i term)
                         HWY_ATTR { sum = hn::Add(sum, widen_half<T>(D(), hn::Vec<HalfBits<D>>{term})); };
    add(_mm512_castsi512_si256(begin));
    if (first + 1 < terms_) add(_mm512_extracti64x4_epi64(begin, 1));
    if (first + 2 < terms_) add(_mm512_castsi512_si256(end));
    if (first + 3 < terms_) add(_mm512_extracti64x4_epi64(end, 1));
  }

  const Plan& p_;
  const std::int64_t terms_;
  const __mmask32 first_cells_, other_cells_;
  const __mmask8 windows_;
  alignas(64) std::uint16_t places_[kTerms * kWindows];  // in the row of cells, of each term of all windows
};
#endif

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
