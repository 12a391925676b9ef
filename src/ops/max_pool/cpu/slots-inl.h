// Windows of at most eight columns: each gets eight lanes, of which neighbours are put together until one is
// left. Lanes that are no column of the window have the least value and come last. One thread of an EPYC,
// least ms with this and by columns alone: am2-56to7 FLOAT 1.8 and 3.4, FLOAT16 1.6 and 2.3; am2-50to7 1.6
// and 2.7; am3-32to4 2.9 and 4.1, 1.8 and 3.4, where it also matters that slices are read in order.

#if defined(CAIRN_OPS_MAX_POOL_CPU_SLOTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_SLOTS_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_SLOTS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_SLOTS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/maximum-inl.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool/cpu/taps.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

using namespace cairn::HWY_NAMESPACE;

// The rows of cells that a row of windows has, in another plane than theirs.
template <typename T>
struct RowsOfWindows {
  const Source<T>* rows;
  std::size_t count;
  std::int64_t moved;  // from their plane to this one, in elements

  const T* from(std::size_t r) const { return rows[r].from + moved; }
};

// Columns come in any order: of equals the one whose position is first takes over, of NaNs the last.
template <bool kNans>
HWY_INLINE void meet_column(Leader<Floats>& leader, hn::Vec<Floats> value, hn::Vec<Ints> position) {
  const Floats d;
  const Ints di;
  const auto before = hn::RebindMask(d, hn::Lt(position, leader.position));
  auto takes_over = hn::Or(hn::Gt(value, leader.value), hn::And(hn::Eq(value, leader.value), before));
  if constexpr (kNans) {
    const auto after = hn::RebindMask(d, hn::Gt(position, leader.position));
    const auto number = hn::Not(hn::IsNaN(leader.value));
    takes_over = hn::Or(takes_over, hn::And(hn::IsNaN(value), hn::Or(number, after)));
  }
  leader.value = hn::IfThenElse(takes_over, value, leader.value);
  leader.position = hn::IfThenElse(hn::RebindMask(di, takes_over), position, leader.position);
}

#if HWY_TARGET == HWY_SCALAR

class WindowSlots {
 public:
  bool enter(const WindowAxis& /*axis*/, const Span& /*windows*/, std::int64_t /*first*/) { return false; }
  std::int64_t room() const { return 0; }
  bool follows_first() const { return false; }
  void lead_from(const LeaderRow& /*columns*/, const LeaderRow& /*best*/) const {}
  template <typename T, typename BestOf>
  bool lead(std::span<const RowsOfWindows<T>> /*rows*/, std::size_t /*slices*/, const LeaderRow& /*kept*/,
            const BestOf& /*best_of*/) const {
    return true;
  }
};

#else

class WindowSlots {
 public:
  static constexpr std::int64_t kSlots = 8;
  static constexpr bool kThere = hn::MaxLanes(Floats()) >= kSlots;

  // The windows of a stretch; columns are counted from `first`. False if they do not fit.
  bool enter(const WindowAxis& axis, const Span& windows, std::int64_t first) {
    count_ = windows.size();
    width_ = axis.cells(windows.end - 1).end - first;
    if (!kThere || count_ > kMostWindows || axis.in < kSlots) return false;
    whole_ = true;
    follows_first_ = true;
    for (std::int64_t i = 0; i < divide_up(count_, kAtOnce) * kAtOnce; ++i) {
      const Span cells = axis.cells(windows.begin + std::min(i, count_ - 1));
      if (cells.size() > kSlots) return false;
      const std::int64_t begin = std::min(cells.begin, axis.in - kSlots);
      begins_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(begin - first);
      follows_first_ = follows_first_ && begin >= first;
      for (std::int64_t k = 0; k < kSlots; ++k) {
        const bool is_there = cells.has(begin + k);
        whole_ = whole_ && is_there;
        columns_[static_cast<std::size_t>(i * kSlots + k)] =
            is_there ? static_cast<std::int32_t>(begin + k - first) : kNone;
      }
    }
    return true;
  }

  // Whether no slot begins in front of the first column.
  bool follows_first() const { return follows_first_; }

  // The windows of a row, into whole vectors, from the best of each column. What lies behind the last column
  // may be read.
  HWY_INLINE void lead_from(const LeaderRow& columns, const LeaderRow& best) const {
    for (std::int64_t i = 0; i < count_; i += kAtOnce) {
      const LeaderRow to{best.values + i, best.positions + i};
      const std::int64_t vectors = divide_up(std::min(kAtOnce, count_ - i), kPerVector);
      if (vectors == 4)
        lead_few_from<4>(columns, i, to);
      else if (vectors == 3)
        lead_few_from<3>(columns, i, to);
      else if (vectors == 2)
        lead_few_from<2>(columns, i, to);
      else
        lead_few_from<1>(columns, i, to);
    }
  }

  // Floats of the memory that lead() wants for each row of windows.
  std::int64_t room() const { return divide_up(count_, kAtOnce) * kAtOnce * kSlots; }

  // The windows of some rows, into whole vectors each, best_of(h). Their cells lie in `slices`, which are
  // read one after the other. True if there may be a NaN: they are not right then.
  template <typename T, typename BestOf>
  bool lead(std::span<const RowsOfWindows<T>> rows, std::size_t slices, const LeaderRow& kept,
            const BestOf& best_of) const {
    auto watcher = hn::Zero(Floats());
    for (std::size_t slice = 0; slice < slices; ++slice) {
      for (std::size_t h = 0; h < rows.size(); ++h) {
        const std::int64_t place = static_cast<std::int64_t>(h) * room();
        for (std::int64_t i = 0; i < count_; i += kAtOnce) {
          const Part part{i,
                          slice,
                          slices,
                          {kept.values + place + i * kSlots, kept.positions + place + i * kSlots},
                          {best_of(h).values + i, best_of(h).positions + i}};
          const std::int64_t vectors = divide_up(std::min(kAtOnce, count_ - i), kPerVector);
          watcher = hn::Add(watcher, vectors == 4   ? lead_part<4>(rows[h], part)
                                     : vectors == 3 ? lead_part<3>(rows[h], part)
                                     : vectors == 2 ? lead_part<2>(rows[h], part)
                                                    : lead_part<1>(rows[h], part));
        }
      }
    }
    return is_alarmed(Floats(), watcher);
  }

 private:
  static constexpr std::int64_t kMostWindows = 128;
  static constexpr std::size_t kVectors = 4;
  static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Floats()));
  static constexpr std::int64_t kPerVector = std::max<std::int64_t>(kLanes / kSlots, 1);
  static constexpr std::int64_t kAtOnce = kPerVector * kVectors;
  static constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();

  static constexpr std::int64_t divide_up(std::int64_t count, std::int64_t by) {
    return (count + by - 1) / by;
  }

  template <typename T>
  HWY_INLINE hn::Vec<Floats> load(const T* row, const std::int32_t* begins) const {
    if constexpr (kPerVector == 2) {
      const hn::Half<Floats> half;
      return hn::Combine(Floats(), load_float(half, row + begins[1]), load_float(half, row + begins[0]));
    } else {
      return load_float(Floats(), row + begins[0]);
    }
  }

  // A page ahead, where the processor does not look. Two threads of a Xeon, ms with it and without: am2-56to7
  // FLOAT 2.3 and 3.6, FLOAT16 1.5 and 2.4; am3-32to4 2.8 and 4.1, 1.9 and 3.3. An EPYC looks there itself,
  // and one thread takes a tenth to a fifth longer with it.
  template <typename T>
  HWY_INLINE void prefetch(const T* cells) const {
    constexpr std::int64_t kAhead = 4096 / sizeof(T);
    constexpr std::int64_t kCacheLine = 64 / sizeof(T);
    for (std::int64_t i = 0; i < width_; i += kCacheLine) hwy::Prefetch(cells + kAhead + i);
  }

  // The windows of a few vectors in one of the slices.
  struct Part {
    std::int64_t first;  // window
    std::size_t slice, slices;
    LeaderRow kept;  // between slices
    LeaderRow best;
  };

  template <std::size_t kUsed, typename T>
  HWY_INLINE hn::Vec<Floats> lead_part(const RowsOfWindows<T>& rows, const Part& part) const {
    const Floats d;
    const Ints di;
    const std::int32_t* begins = begins_.data() + part.first;
    const std::size_t each = rows.count / part.slices;
    Leader<Floats> leaders[kVectors];
    hn::Vec<Floats> watchers[kUsed];
    std::size_t r = part.slice * each;
    const std::size_t end = r + each;
    if (r == 0) {
      for (std::size_t v = 0; v < kUsed; ++v) {
        leaders[v] = {load(rows.from(0), begins + v * kPerVector), hn::Set(di, rows.rows[0].position)};
        watchers[v] = hn::Mul(leaders[v].value, hn::Zero(d));
      }
      r = 1;
    } else {
      for (std::size_t v = 0; v < kUsed; ++v) {
        leaders[v] = {hn::LoadU(d, part.kept.values + v * kLanes),
                      hn::LoadU(di, part.kept.positions + v * kLanes)};
        watchers[v] = hn::Zero(d);
      }
    }
    for (; r < end; ++r) {
      const T* row = rows.from(r);
      const auto place = hn::Set(di, rows.rows[r].position);
      if (part.first == 0) prefetch(row + begins[0]);
      for (std::size_t v = 0; v < kUsed; ++v) {
        const auto cells = load(row, begins + v * kPerVector);
        watch<Floats>(watchers[v], cells);
        leaders[v].template meet<false>(cells, place);
      }
    }
    if (part.slice + 1 < part.slices) {
      for (std::size_t v = 0; v < kUsed; ++v) {
        hn::StoreU(leaders[v].value, d, part.kept.values + v * kLanes);
        hn::StoreU(leaders[v].position, di, part.kept.positions + v * kLanes);
      }
    } else {
      find_columns<kUsed, true>(leaders, columns_.data() + part.first * kSlots);
      put_best<kUsed>(leaders, part.best);
    }
    for (std::size_t v = 1; v < kUsed; ++v) watchers[0] = hn::Add(watchers[0], watchers[v]);
    return watchers[0];
  }

  template <std::size_t kUsed>
  HWY_INLINE void lead_few_from(const LeaderRow& columns, std::int64_t first, const LeaderRow& best) const {
    const std::int32_t* begins = begins_.data() + first;
    Leader<Floats> leaders[kVectors];
    for (std::size_t v = 0; v < kUsed; ++v)
      leaders[v] = {load(static_cast<const float*>(columns.values), begins + v * kPerVector),
                    load_places(columns.positions, begins + v * kPerVector)};
    find_columns<kUsed, false>(leaders, columns_.data() + first * kSlots);
    put_best<kUsed>(leaders, best);
  }
  static HWY_INLINE hn::Vec<Ints> load_places(const std::int32_t* row, const std::int32_t* begins) {
    const Ints di;
    if constexpr (kPerVector == 2) {
      const hn::Half<Ints> half;
      return hn::Combine(di, hn::LoadU(half, row + begins[1]), hn::LoadU(half, row + begins[0]));
    } else {
      return hn::LoadU(di, row + begins[0]);
    }
  }

  template <std::size_t kUsed>
  static HWY_INLINE void put_best(Leader<Floats> (&leaders)[kVectors], const LeaderRow& to) {
    for (std::size_t v = kUsed; v < kVectors; ++v) leaders[v] = leaders[kUsed - 1];
    const Leader<Floats> one = halved(halved(leaders[0], leaders[1]), halved(leaders[2], leaders[3]));
    const Leader<Floats> best = halved(one, one);
    hn::StoreU(best.value, Floats(), to.values);
    hn::StoreU(best.position, Ints(), to.positions);
  }

  // Lanes that are no column come last; kOfRows: positions of rows become those of cells.
  template <std::size_t kUsed, bool kOfRows>
  HWY_INLINE void find_columns(Leader<Floats> (&leaders)[kVectors], const std::int32_t* columns) const {
    const Floats d;
    const Ints di;
    for (std::size_t v = 0; v < kUsed; ++v) {
      const auto column = hn::LoadU(di, columns + v * kLanes);
      if (kOfRows) leaders[v].position = hn::Add(leaders[v].position, column);
      if (whole_) continue;
      const auto none = hn::Eq(column, hn::Set(di, kNone));
      leaders[v].position = hn::IfThenElse(none, column, leaders[v].position);
      leaders[v].value = hn::IfThenElse(
          hn::RebindMask(d, none), hn::Set(d, -std::numeric_limits<float>::infinity()), leaders[v].value);
    }
  }

  // Neighbouring lanes of both put together, in order.
  static HWY_INLINE Leader<Floats> halved(const Leader<Floats>& low, const Leader<Floats>& high) {
    const Floats d;
    const Ints di;
    Leader<Floats> leader{hn::ConcatEven(d, high.value, low.value),
                          hn::ConcatEven(di, high.position, low.position)};
    meet_column<false>(leader, hn::ConcatOdd(d, high.value, low.value),
                       hn::ConcatOdd(di, high.position, low.position));
    return leader;
  }

  std::int64_t count_ = 0;
  std::int64_t width_ = 0;  // columns of all windows
  bool whole_ = false;      // all windows have eight columns
  bool follows_first_ = false;
  std::array<std::int32_t, kMostWindows + kAtOnce> begins_{};
  alignas(64) std::array<std::int32_t, (kMostWindows + kAtOnce) * kSlots> columns_{};
};

#endif

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
