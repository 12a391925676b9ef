// Rows of fewer windows than a vector has lanes, where there is a lane for every kind of cell: the sums of a
// row of cells are made once for each kind, and vectors of cells, each a whole cache line, pick theirs from
// them. A line that begins in one row and ends in the next picks from both.
// One thread of an EPYC, 16384 planes, least ms with it and with planes that are made in the cache and
// copied: 50x50 from 7x7 FLOAT 3.7 and 5.9, FLOAT16 2.2 and 3.5; 56x56 from 7x7 4.6 and 5.4, 2.3 and 3.2,
// which is what writing so much takes.

#if defined(CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_PICKED_CELLS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_PICKED_CELLS_INL_H_
#undef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_PICKED_CELLS_INL_H_
#else
#define CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_PICKED_CELLS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/mean_pool_backward/cpu/shares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool_backward::HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3  // no other picks from two vectors in one instruction, or halves at all

// Lanes of `low` and `high`, which are numbered on.
HWY_INLINE __m512i pick_lanes(std::uint16_t, __m512i low, __m512i lanes, __m512i high) {
  return _mm512_permutex2var_epi16(low, lanes, high);
}
HWY_INLINE __m256i pick_lanes(std::uint16_t, __m256i low, __m256i lanes, __m256i high) {
  return _mm256_permutex2var_epi16(low, lanes, high);
}
HWY_INLINE __m512i pick_lanes(std::uint32_t, __m512i low, __m512i lanes, __m512i high) {
  return _mm512_permutex2var_epi32(low, lanes, high);
}
HWY_INLINE __m512i pick_lanes(std::uint64_t, __m512i low, __m512i lanes, __m512i high) {
  return _mm512_permutex2var_epi64(low, lanes, high);
}

// Writes rows of cells that follow each other in memory, in vectors of kLanes cells that are aligned. What a
// row ends with waits for the next; one that lies elsewhere finishes it.
template <typename Bits, int kLanes>
class CellWriter {
 public:
  using D = hn::CappedTag<Bits, kLanes>;

  // Rows of `length` cells, at least kLanes of them; kind(i) is that of cell i.
  template <typename Kind>
  CellWriter(std::int64_t length, bool streams, const Kind& kind) : length_(length), streams_(streams) {
    grow(kinds_, length + std::int64_t{2} * kLanes);
    std::fill_n(kinds_.begin(), kLanes, Bits{0});
    for (std::int64_t i = 0; i < length; ++i) kinds_[at(kLanes + i)] = static_cast<Bits>(kind(i));
    for (std::int64_t i = 0; i < kLanes; ++i)
      kinds_[at(kLanes + length + i)] = static_cast<Bits>(kLanes + kind(i));
  }
  ~CellWriter() {
    finish();
    if (streams_) hwy::FlushStream();
  }
  CellWriter(const CellWriter&) = delete;
  CellWriter& operator=(const CellWriter&) = delete;

  // `rows` equal rows; values[k] is what cells of kind k are.
  template <bool kStreams>
  HWY_INLINE void write(const Bits* values, std::int64_t rows, Bits* to) {
    const D d;
    const auto row = hn::Load(d, values);
    if (to != next_) begin(row, to);
    for (; rows > 0; --rows, to += length_) {
      std::int64_t cell = begun_;
      if (cell < 0) put<kStreams>(pick(last_, cell + length_, row), to + cell);
      if (cell < 0) cell += kLanes;
      for (; cell + kLanes <= length_; cell += kLanes) put<kStreams>(pick(row, cell, row), to + cell);
      begun_ = cell - length_;
      last_ = row;
    }
    next_ = to;
  }

 private:
  using Vector = hn::Vec<D>;
  static constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  // The vector that begins at a cell of a row, and may end in another.
  HWY_INLINE Vector pick(Vector row, std::int64_t cell, Vector next) const {
    const auto lanes = hn::LoadU(D(), kinds_.data() + kLanes + cell);
    return Vector{pick_lanes(Bits{}, row.raw, lanes.raw, next.raw)};
  }
  template <bool kStreams>
  static HWY_INLINE void put(Vector cells, Bits* to) {
    if constexpr (kStreams)
      hn::Stream(cells, D(), to);
    else
      hn::Store(cells, D(), to);
  }

  // The first vector of a row that nothing was written in front of.
  HWY_NOINLINE void begin(Vector row, Bits* to) {
    finish();
    const auto before =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(Bits) % kLanes);
    begun_ = before == 0 ? 0 : kLanes - before;
    if (before == 0) return;
    const D d;
    const auto ours = hn::Not(hn::FirstN(d, static_cast<std::size_t>(before)));
    hn::BlendedStore(pick(row, -before, row), ours, d, to - before);
  }

  HWY_NOINLINE void finish() {
    if (begun_ >= 0) return;
    const D d;
    const auto ours = hn::FirstN(d, static_cast<std::size_t>(-begun_));
    hn::BlendedStore(pick(last_, length_ + begun_, last_), ours, d, next_ + begun_);
    begun_ = 0;
  }

  Vector last_{};
  const std::int64_t length_;
  Aligned<Bits> kinds_;     // for a vector that may begin in front of a row, and end behind it
  Bits* next_ = nullptr;    // the row that would follow
  std::int64_t begun_ = 0;  // where in it, or in front of it, the vector begins that was not written yet
  const bool streams_;
};

template <typename T, int kLanes>
class PickedRows {
 public:
  using Sum = SumOf<T>;
  using Bits = BitsOf<T>;
  using D = hn::ScalableTag<Sum>;
  static constexpr std::int64_t kWidth{hn::MaxLanes(D())};

  static bool takes(const Plan& p, const AxisTables& axes) {
    return p.w.out > 0 && p.w.out < kWidth && p.w.in >= kLanes && p.w.most_windows() <= 2 &&
           axes.w.kinds() <= kWidth && p.grad_input.h == p.w.in && repeats_rows(p, axes) &&
           p.d.most_windows() * p.h.out + axes.h.kinds() <= kMostRows;
  }

  PickedRows(const Plan& plan, const AxisTables& axes)
      : writer_(plan.w.in, streams_past_cache(bytes_touched(plan)),
                [&](std::int64_t cell) { return axes.w.kind(cell); }),
        p_(plan),
        axes_(axes),
        room_(std::max<std::int64_t>(plan.w.most_windows(), 1) * kWidth),
        maker_(plan),
        streams_(streams_past_cache(bytes_touched(plan))) {
    enter_kinds();
    grow(row_, plan.w.out + kWidth);
    grow(shares_, p_.d.most_windows() * p_.h.out * room_);
    grow(values_, axes.h.kinds() * kLanes);
  }

  // Rows of cells, counted over all planes.
  void write(std::int64_t begin, std::int64_t end) {
    RowPlace at(p_, begin, p_.c);
    while (begin < end) {
      const std::int64_t rows = std::min(end - begin, p_.h.in - at.h);
      make_values(at);
      if (streams_)
        write_slice<true>(at, rows);
      else
        write_slice<false>(at, rows);
      at.step(p_, p_.c, rows);
      begin += rows;
    }
  }

 private:
  using Place = hn::TFromD<hn::RebindToSigned<D>>;
  static constexpr std::int64_t kMostRows = 256;  // what is kept of a slice stays in the first cache
  static constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  // For each kind of cell its first window and its second, and for each kind of row where it ends.
  void enter_kinds() {
    grow(places_, room_);
    std::fill(places_.begin(), places_.end(), static_cast<Place>(p_.w.out));
    for (std::int64_t cell = 0; cell < p_.w.in; ++cell) {
      const Span windows = axes_.w.windows(cell);
      for (std::int64_t layer = 0; layer < windows.size(); ++layer)
        places_[at(layer * kWidth + axes_.w.kind(cell))] = static_cast<Place>(windows.begin + layer);
    }
    ends_.resize(at(axes_.h.kinds()));
    for (std::int64_t h = 0; h < p_.h.in; ++h) ends_[at(axes_.h.kind(h))] = h + 1;
  }

  template <bool kStreams>
  void write_slice(const RowPlace& place, std::int64_t rows) {
    T* to = place.grad_input<T>(p_);
    const std::int64_t last = place.h + rows;
    for (std::int64_t h = place.h, kind = axes_.h.kind(h); h < last; ++kind) {
      const std::int64_t end = std::min(ends_[at(kind)], last);
      writer_.template write<kStreams>(values_.data() + kind * kLanes, end - h, reinterpret_cast<Bits*>(to));
      to += (end - h) * p_.w.in;
      h = end;
    }
  }

  // What the cells of a slice are: of each kind of row, of each kind of cell. Slices that lie in the same
  // windows are equal.
  HWY_NOINLINE void make_values(const RowPlace& place) {
    const std::int64_t plane = place.n * p_.c + place.c;
    const std::int64_t kind_d = axes_.d.kind(place.d);
    if (plane == plane_ && kind_d == kind_d_) return;
    plane_ = plane, kind_d_ = kind_d;
    const Span of_d = axes_.d.windows(place.d);
    make_shares(place, of_d);
    const D d;
    std::int64_t h = 0;
    for (std::int64_t kind = 0; kind < axes_.h.kinds(); ++kind) {
      const Span of_h = axes_.h.windows(h);
      h = ends_[at(kind)];
      auto sum = hn::Zero(d);
      for (std::int64_t slice = 0; slice < of_d.size(); ++slice) {
        const Sum* share = shares_.data() + (slice * p_.h.out + of_h.begin) * room_;
        for (const Sum* const end = share + of_h.size() * room_; share < end; share += kWidth)
          sum = hn::Add(sum, hn::Load(d, share));
      }
      store_sums(d, sum, reinterpret_cast<T*>(values_.data() + kind * kLanes));
    }
  }

  // What the windows of a slice give each kind of cell.
  void make_shares(const RowPlace& place, const Span& of_d) {
    const D d;
    const hn::RebindToSigned<D> di;
    Sum* to = shares_.data();
    for (std::int64_t slice = of_d.begin; slice < of_d.end; ++slice) {
      for (std::int64_t h = 0; h < p_.h.out; ++h) {
        const auto all = row_of_windows(place, slice, h);
        for (std::int64_t i = 0; i < room_; i += kWidth, to += kWidth)
          hn::Store(hn::TableLookupLanes(all, hn::IndicesFromVec(d, hn::Load(di, places_.data() + i))), d,
                    to);
      }
    }
  }

  // Zeros behind them.
  hn::Vec<D> row_of_windows(const RowPlace& place, std::int64_t slice, std::int64_t h) {
    const T* from = first_window<T>(p_, place, slice, h);
    if (maker_.has_few()) return maker_.few(from);
    const D d;
    maker_.make(from, slice, h, row_.data());
    return hn::IfThenElseZero(hn::FirstN(d, at(p_.w.out)), hn::LoadU(d, row_.data()));
  }

  CellWriter<Bits, kLanes> writer_;
  const Plan& p_;
  const AxisTables& axes_;
  const std::int64_t room_;  // of the shares of a row of windows
  ShareMaker<T> maker_;
  Aligned<Place> places_;
  std::vector<std::int64_t> ends_;
  Aligned<Sum> row_, shares_;
  Aligned<Bits> values_;
  std::int64_t plane_ = -1, kind_d_ = 0;
  const bool streams_;
};

#endif

}  // namespace cairn::mean_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
