// Rows of fewer windows than a vector has lanes: one vector has the shares of a row, from which each vector
// of cells picks its own.
// One core of a Xeon, 100 planes of 50x50 in FLOAT16 from 7x7: 57 us with it, 106 without.
// Where a vector has a lane for every kind of cell, the sums are made once for each kind, and what cells pick
// is rounded already.

#if defined(CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_FEW_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_FEW_WINDOWS_INL_H_
#undef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_FEW_WINDOWS_INL_H_
#else
#define CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_FEW_WINDOWS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/mean_pool_backward/cpu/shares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool_backward::HWY_NAMESPACE {

template <typename T>
class FewWindows {
 public:
  using Sum = SumOf<T>;
  using D = hn::ScalableTag<Sum>;
  static constexpr std::int64_t kWidth{hn::MaxLanes(D())};

  static bool takes(const MeanAxis& w) {
    return w.out < kWidth && w.in >= kWidth && w.in <= kMostVectors * kWidth && w.most_windows() <= 2;
  }

  FewWindows(const MeanAxis& w, const AxisTable& axis)
      : w_(w),
        has_kinds_(kPicksKinds && axis.kinds() <= kWidth),
        lanes_(has_kinds_ ? kRow : kWidth),
        vectors_((w.in + lanes_ - 1) / lanes_),
        layers_(w.most_windows() > 1 ? 2 : 1) {
    if (!takes(w)) return;
    if (has_kinds_) {
      enter_kinds(axis);
      return;
    }
    grow(places_, vectors_ * layers_ * kWidth);
    auto place = places_.begin();
    for (std::int64_t v = 0; v < vectors_; ++v) {
      for (std::int64_t layer = 0; layer < layers_; ++layer) {
        for (std::int64_t lane = 0; lane < kWidth; ++lane) {
          const Span windows = axis.windows(first_cell(v) + lane);
          *place++ = static_cast<Place>(layer < windows.size() ? windows.begin + layer : w.out);
        }
      }
    }
  }

  // Shares as write_rows() wants them take so much room.
  std::int64_t room() const { return has_kinds_ ? layers_ * kWidth : kWidth; }
  bool has_kinds() const { return has_kinds_; }
  HWY_INLINE void keep(const Sum* shares, Sum* to) const {
    const D d;
    keep(hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(w_.out)), hn::LoadU(d, shares)), to);
  }
  // Behind the shares of all windows there is nothing.
  HWY_INLINE void keep(hn::Vec<D> all, Sum* to) const {
    const D d;
    const hn::RebindToSigned<D> di;
    if (!has_kinds_) return hn::StoreU(all, d, to);
    for (std::int64_t i = 0; i < layers_ * kWidth; i += kWidth)
      hn::StoreU(hn::TableLookupLanes(all, hn::IndicesFromVec(d, hn::Load(di, places_.data() + i))), d,
                 to + i);
  }

  // `rows` equal rows of cells, one behind the other: the sums of what some rows of windows give.
  HWY_INLINE void write_rows(const Sum* const* shares, std::int64_t count, std::int64_t rows,
                             T* HWY_RESTRICT to) const {
    if (has_kinds_) return write_kinds(shares, count, rows, to);
    const D d;
    const hn::RebindToSigned<D> di;
    const std::int64_t vectors = vectors_;
    const std::int64_t length = w_.in;
    const bool in_two = layers_ > 1;
    const Place* places = places_.data();
    for (std::int64_t v = 0; v < vectors; ++v) {
      const auto first = hn::IndicesFromVec(d, hn::Load(di, places));
      const auto second = hn::IndicesFromVec(d, hn::Load(di, in_two ? places + kWidth : places));
      places += in_two ? 2 * kWidth : kWidth;
      auto sum = hn::Zero(d);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto all = hn::Load(d, shares[i]);
        sum = hn::Add(sum, hn::TableLookupLanes(all, first));
        if (in_two) sum = hn::Add(sum, hn::TableLookupLanes(all, second));
      }
      store_in_rows(sum, rows, length, to + std::min(v * kWidth, length - kWidth));
    }
  }

 private:
  using Place = hn::TFromD<hn::RebindToSigned<D>>;
  static constexpr std::int64_t kMostVectors = 8;

  using Bits = BitsOf<T>;
  using Row = hn::ScalableTag<Bits>;
  static constexpr std::int64_t kRow{hn::MaxLanes(Row())};
  // Halves are picked by AVX-512 alone.
  static constexpr bool kPicksKinds = HWY_TARGET <= HWY_AVX3;

  // The last vector has cells of the one before again. A row that is shorter than a vector ends within it:
  // what it has behind that is overwritten.
  std::int64_t first_cell(std::int64_t v) const {
    return std::min(v * lanes_, std::max<std::int64_t>(w_.in - lanes_, 0));
  }

  // For each kind of cell its first window and its second; for each cell its kind.
  void enter_kinds(const AxisTable& axis) {
    grow(places_, layers_ * kWidth);
    std::fill(places_.begin(), places_.end(), static_cast<Place>(w_.out));
    for (std::int64_t cell = 0; cell < w_.in; ++cell) {
      const Span windows = axis.windows(cell);
      for (std::int64_t layer = 0; layer < windows.size(); ++layer)
        places_[static_cast<std::size_t>(layer * kWidth + axis.kind(cell))] =
            static_cast<Place>(windows.begin + layer);
    }
    grow(kinds_, vectors_ * kRow);
    for (std::int64_t v = 0; v < vectors_; ++v)
      for (std::int64_t lane = 0; lane < kRow; ++lane)
        kinds_[static_cast<std::size_t>(v * kRow + lane)] =
            static_cast<Bits>(axis.kind(std::min(first_cell(v) + lane, w_.in - 1)));
  }

  HWY_INLINE void write_kinds([[maybe_unused]] const Sum* const* shares, [[maybe_unused]] std::int64_t count,
                              [[maybe_unused]] std::int64_t rows, [[maybe_unused]] T* HWY_RESTRICT to) const {
#if HWY_TARGET <= HWY_AVX3
    const D d;
    const Row bits;
    const std::int64_t vectors = vectors_;
    const std::int64_t length = w_.in;
    auto sum = hn::Zero(d);
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t layer = 0; layer < layers_; ++layer)
        sum = hn::Add(sum, hn::Load(d, shares[i] + layer * kWidth));
    alignas(64) T rounded[kRow] = {};
    store_sums(d, sum, rounded);
    const hn::Rebind<Bits, D> some;
    const auto table = hn::Load(some, reinterpret_cast<const Bits*>(rounded)).raw;
    for (std::int64_t v = 0; v < vectors; ++v) {
      const auto kinds = hn::Load(bits, kinds_.data() + v * kRow).raw;
      hn::Vec<Row> cells;
      if constexpr (sizeof(T) == 2)
        cells.raw = _mm512_permutexvar_epi16(kinds, _mm512_castsi256_si512(table));
      else if constexpr (sizeof(T) == 4)
        cells.raw = _mm512_permutexvar_epi32(kinds, table);
      else
        cells.raw = _mm512_permutexvar_epi64(kinds, table);
      auto* at = reinterpret_cast<Bits*>(to + first_cell(v));
      for (std::int64_t row = 0; row < rows; ++row, at += length) hn::StoreU(cells, bits, at);
    }
#endif
  }

  // It is rounded once.
  static HWY_INLINE void store_in_rows(hn::Vec<D> sum, std::int64_t rows, std::int64_t length,
                                       T* HWY_RESTRICT to) {
    const hn::Rebind<Bits, D> bits;
    alignas(64) T rounded[kWidth];
    store_sums(D(), sum, rounded);
    const auto all = hn::Load(bits, reinterpret_cast<const Bits*>(rounded));
    for (std::int64_t row = 0; row < rows; ++row)
      hn::StoreU(all, bits, reinterpret_cast<Bits*>(to + row * length));
  }

  const MeanAxis& w_;
  const bool has_kinds_;
  const std::int64_t lanes_, vectors_, layers_;
  Aligned<Place> places_;
  Aligned<Bits> kinds_;  // of cells
};

}  // namespace cairn::mean_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
