// The best of each column of a few rows of cells, in halves: as many columns at a time as a vector has
// halves, which are compared as integers. A Xeon, least ms with it and with slots alone, of one thread and of
// two: am3-32to5 FLOAT16 18.5 and 24.9, 9.3 and 11.6, BF16 13.7 and 20.3, 9.1 and 11.8; am3-32to4
// FLOAT16 11.7 and 15.7, 8.1 and 7.2, BF16 11.3 and 17.1, 7.8 and 8.7.

#if defined(CAIRN_OPS_MAX_POOL_CPU_HALF_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_HALF_COLUMNS_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_HALF_COLUMNS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_HALF_COLUMNS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/aligned.h"
#include "ops/max_pool/cpu/slots-inl.h"
#include "ops/max_pool/plan.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

template <typename T>
class HalfColumns {
 public:
  static constexpr std::int64_t kFewest = 8;
  static bool takes(const Plan& /*plan*/) { return false; }
  void enter(std::int64_t /*columns*/, std::int64_t /*first*/, std::int64_t /*row*/) {}
  template <typename ColumnsOf>
  bool lead(std::span<const RowsOfWindows<T>> /*rows*/, std::span<const std::int16_t* const> /*numbers*/,
            std::size_t /*slices*/, const ColumnsOf& /*columns_of*/) {
    return true;
  }
};

#else

// Halves as integers that compare as they do, both zeros alike.
template <class D16>
HWY_INLINE hn::Vec<D16> magnitude_of(D16 d, hn::Vec<D16> halves) {
  return hn::And(halves, hn::Set(d, std::int16_t{0x7FFF}));
}
template <class D16>
HWY_INLINE hn::Vec<D16> key_of(hn::Vec<D16> halves, hn::Vec<D16> magnitude) {
  const auto sign = hn::ShiftRight<15>(halves);
  return hn::Sub(hn::Xor(magnitude, sign), sign);
}

template <typename T>
class HalfColumns {
 public:
  static constexpr std::int64_t kFewest = 8;  // columns

  // The number of a row is as long as a half, and a column of few rows is not worth a step of its own: one
  // thread of a Xeon, am2-56to7 FLOAT16 12.7 ms without it and 14.7 with it.
  static bool takes(const Plan& plan) {
    constexpr std::int64_t kFewRows = 16;
    return sizeof(T) == 2 && plan.kernel.d * plan.kernel.h >= kFewRows &&
           plan.in.d * plan.in.h <= std::numeric_limits<std::int16_t>::max();
  }

  // Columns from `first` on, of rows of so many cells.
  void enter(std::int64_t columns, std::int64_t first, std::int64_t row) {
    columns_ = columns, first_ = first, row_ = row;
  }

  // Of the rows of cells of each row of windows, which lie in `slices` that are read one after the other.
  // numbers[h] are those of the rows in the plane. Into columns_of(h); true if there may be a NaN.
  template <typename ColumnsOf>
  bool lead(std::span<const RowsOfWindows<T>> rows, std::span<const std::int16_t* const> numbers,
            std::size_t slices, const ColumnsOf& columns_of) {
    if (slices > 1) grow(kept_, static_cast<std::int64_t>(rows.size()) * 2 * columns_);
    bool nans = false;
    for (std::size_t slice = 0; slice < slices; ++slice) {
      for (std::size_t h = 0; h < rows.size(); ++h) {
        const std::size_t each = rows[h].count / slices;
        const Part part{rows[h],
                        numbers[h],
                        slice * each,
                        (slice + 1) * each,
                        slices > 1 ? kept_.data() + static_cast<std::int64_t>(h) * 2 * columns_ : nullptr,
                        columns_of(static_cast<std::int64_t>(h))};
        nans = lead_all(hn::ScalableTag<std::int16_t>(), part) || nans;
      }
    }
    return nans;
  }

 private:
  static constexpr std::int16_t kInfinity = std::is_same_v<T, Float16> ? 0x7C00 : 0x7F80;

  struct Part {
    const RowsOfWindows<T>& rows;
    const std::int16_t* numbers;
    std::size_t begin, end;  // of the rows
    std::int16_t* kept;      // between slices: halves, and numbers of rows
    LeaderRow to;
  };

  template <class D16>
  HWY_INLINE bool lead_all(D16 d, const Part& part) const {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    if constexpr (hn::MaxLanes(D16()) > kFewest) {
      if (columns_ < lanes) return lead_all(hn::Half<D16>(), part);
    }
    auto most = hn::Zero(d);  // magnitude
    for (std::int64_t i = 0; i < columns_; i += 2 * lanes) {
      const std::int64_t last = columns_ - lanes;
      most = hn::Max(most, i + lanes < columns_ ? lead_vectors<2>(d, part, i, std::min(i + lanes, last))
                                                : lead_vectors<1>(d, part, std::min(i, last), 0));
    }
    return !hn::AllFalse(d, hn::Gt(most, hn::Set(d, kInfinity)));
  }

  template <std::size_t kVectors, class D16>
  HWY_INLINE hn::Vec<D16> lead_vectors(D16 d, const Part& part, std::int64_t column,
                                       std::int64_t other) const {
    const std::int64_t at[2] = {column, other};
    hn::Vec<D16> keys[kVectors], halves[kVectors], numbers[kVectors];
    auto most = hn::Zero(d);
    for (std::size_t v = 0; v < kVectors; ++v) {
      if (part.begin == 0) {
        halves[v] = load(d, part, 0, at[v]);
        numbers[v] = hn::Set(d, part.numbers[0]);
      } else {
        halves[v] = hn::LoadU(d, part.kept + at[v]);
        numbers[v] = hn::LoadU(d, part.kept + columns_ + at[v]);
      }
      const auto magnitude = magnitude_of(d, halves[v]);
      keys[v] = key_of<D16>(halves[v], magnitude);
      most = hn::Max(most, magnitude);
    }
    for (std::size_t r = part.begin; r < part.end; ++r) {
      const auto number = hn::Set(d, part.numbers[r]);
      if (column == 0) prefetch(part.rows.from(r));
      for (std::size_t v = 0; v < kVectors; ++v) {
        const auto cells = load(d, part, r, at[v]);
        const auto magnitude = magnitude_of(d, cells);
        const auto key = key_of<D16>(cells, magnitude);
        most = hn::Max(most, magnitude);
        const auto takes_over = hn::Gt(key, keys[v]);
        keys[v] = hn::Max(keys[v], key);
        halves[v] = hn::IfThenElse(takes_over, cells, halves[v]);
        numbers[v] = hn::IfThenElse(takes_over, number, numbers[v]);
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      if (part.end < part.rows.count) {
        hn::StoreU(halves[v], d, part.kept + at[v]);
        hn::StoreU(numbers[v], d, part.kept + columns_ + at[v]);
      } else {
        put(hn::Half<D16>(), hn::LowerHalf(halves[v]), hn::LowerHalf(numbers[v]), at[v], part.to);
        put(hn::Half<D16>(), hn::UpperHalf(hn::Half<D16>(), halves[v]),
            hn::UpperHalf(hn::Half<D16>(), numbers[v]), at[v] + static_cast<std::int64_t>(hn::Lanes(d)) / 2,
            part.to);
      }
    }
    return most;
  }

  template <class D16>
  static HWY_INLINE hn::Vec<D16> load(D16 d, const Part& part, std::size_t r, std::int64_t column) {
    return hn::LoadU(d, reinterpret_cast<const std::int16_t*>(part.rows.from(r) + column));
  }

  template <class D16>
  HWY_INLINE void put(D16 /*d*/, hn::Vec<D16> halves, hn::Vec<D16> numbers, std::int64_t column,
                      const LeaderRow& to) const {
    const hn::Rebind<float, D16> d;
    const hn::Rebind<std::int32_t, D16> di;
    hn::StoreU(widen_half<T>(d, hn::BitCast(HalfBits<decltype(d)>(), halves)), d, to.values + column);
    const auto rows = hn::Mul(hn::PromoteTo(di, numbers), hn::Set(di, static_cast<std::int32_t>(row_)));
    const auto columns = hn::Add(hn::Iota(di, 0), hn::Set(di, static_cast<std::int32_t>(first_ + column)));
    hn::StoreU(hn::Add(rows, columns), di, to.positions + column);
  }

  // As in slots-inl.h.
  HWY_INLINE void prefetch(const T* cells) const {
    constexpr std::int64_t kAhead = 4096 / sizeof(T);
    constexpr std::int64_t kCacheLine = 64 / sizeof(T);
    for (std::int64_t i = 0; i < columns_; i += kCacheLine) hwy::Prefetch(cells + kAhead + i);
  }

  std::int64_t columns_ = 0, first_ = 0, row_ = 0;
  Aligned<std::int16_t> kept_;
};

#endif

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
