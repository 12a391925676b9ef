// Windows that share few cells, of any size and spacing, as those of adaptive pooling: the best of each
// column of a window's rows, in vectors along W, then of 2, 4 … columns, and of a few of those the best of
// each window.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/cpu/column_scratch.h"
#include "ops/max_pool/cpu/taps.h"
#include "ops/max_pool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/columns.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool/cpu/block_output-inl.h"
#include "ops/max_pool/cpu/half_columns-inl.h"
#include "ops/max_pool/cpu/slots-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

// Some columns from `column` on over all rows, in kVectors vectors, of which the last may begin earlier than
// its place is. Until the end a position is that of the row.
template <bool kNans, std::size_t kVectors, class D, typename T>
HWY_INLINE hn::Vec<D> lead_vectors(D d, const RowsOfWindows<T>& rows, std::int64_t column,
                                   std::int64_t last_column, const LeaderRow& best) {
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto at = [&](std::size_t v) {
    return v + 1 < kVectors ? column + static_cast<std::int64_t>(v) * lanes : last_column;
  };
  Leader<D> leaders[kVectors];
  hn::Vec<D> watchers[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    leaders[v] = {load_float(d, rows.from(0) + at(v)), hn::Set(di, rows.rows[0].position)};
    watchers[v] = hn::Mul(leaders[v].value, hn::Zero(d));
  }
  for (std::size_t r = 1; r < rows.count; ++r) {
    const T* from = rows.from(r);
    const auto place = hn::Set(di, rows.rows[r].position);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto cells = load_float(d, from + at(v));
      watch<D>(watchers[v], cells);
      leaders[v].template meet<kNans>(cells, place);
    }
  }
  const auto first = hn::Iota(di, 0);  // a constant; from a variable it is made lane by lane
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::StoreU(leaders[v].value, d, best.values + at(v));
    const auto columns = hn::Add(first, hn::Set(di, static_cast<std::int32_t>(at(v))));
    hn::StoreU(hn::Add(leaders[v].position, columns), di, best.positions + at(v));
    if (v > 0) watchers[0] = hn::Add(watchers[0], watchers[v]);
  }
  return watchers[0];
}

// True if there may be a NaN.
template <bool kNans, class D, typename T>
HWY_INLINE bool lead_columns(D d, const RowsOfWindows<T>& rows, std::int64_t columns, const LeaderRow& best) {
  constexpr std::int64_t kTogether = 4;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (columns < lanes) return lead_columns<kNans>(hn::Half<D>(), rows, columns, best);
  }
  auto watcher = hn::Zero(d);
  for (std::int64_t i = 0; i < columns; i += kTogether * lanes) {
    const std::int64_t vectors = std::min((columns - i + lanes - 1) / lanes, kTogether);
    const std::int64_t last = std::min(i + (vectors - 1) * lanes, columns - lanes);
    if (vectors == 4) {
      watcher = hn::Add(watcher, lead_vectors<kNans, 4>(d, rows, i, last, best));
    } else if (vectors == 3) {
      watcher = hn::Add(watcher, lead_vectors<kNans, 3>(d, rows, i, last, best));
    } else if (vectors == 2) {
      watcher = hn::Add(watcher, lead_vectors<kNans, 2>(d, rows, i, last, best));
    } else {
      watcher = hn::Add(watcher, lead_vectors<kNans, 1>(d, rows, i, last, best));
    }
  }
  return is_alarmed(d, watcher);
}

// Each column becomes the best of itself and those behind it, `distance` in all before and twice as many
// after.
template <bool kNans>
void double_columns(LeaderRow columns, std::int64_t count, std::int64_t distance) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes) {
    Leader<Floats> leader{hn::LoadU(d, columns.values + i), hn::LoadU(di, columns.positions + i)};
    meet_column<kNans>(leader, hn::LoadU(d, columns.values + i + distance),
                       hn::LoadU(di, columns.positions + i + distance));
    hn::StoreU(leader.value, d, columns.values + i);
    hn::StoreU(leader.position, di, columns.positions + i);
  }
}

// The same of one column, the best of `width` of them, that lies behind the leader's.
template <bool kNans>
HWY_INLINE void meet_behind(float& value, std::int32_t& position, const LeaderRow& columns, std::int64_t at) {
  const float other = columns.values[at];
  const std::int32_t place = columns.positions[at];
  // Without branches, which nobody could predict.
  int takes_over = static_cast<int>(other > value) |
                   (static_cast<int>(other == value) & static_cast<int>(place < position));
  if constexpr (kNans) {
    takes_over |= static_cast<int>(other != other) &
                  (static_cast<int>(value == value) | static_cast<int>(place > position));
  }
  value = takes_over != 0 ? other : value;
  position = takes_over != 0 ? place : position;
}

// The windows of a block, from columns that are overwritten.
template <bool kNans>
void lead_windows(LeaderRow columns, std::int64_t count, const ColumnScratch& windows,
                  std::int64_t window_count, LeaderRow best) {
  const std::int64_t width = windows.width;
  for (std::int64_t distance = 1; distance < width; distance *= 2)
    double_columns<kNans>(columns, count, distance);
  for (std::int64_t i = 0; i < window_count; ++i) {
    const std::int64_t first = windows.first[static_cast<std::size_t>(i)];
    const std::int64_t last = windows.last[static_cast<std::size_t>(i)];
    float value = columns.values[first];
    std::int32_t position = columns.positions[first];
    for (std::int64_t at = first + width; at < last; at += width)
      meet_behind<kNans>(value, position, columns, at);
    meet_behind<kNans>(value, position, columns, last);
    best.values[i] = value;
    best.positions[i] = position;
  }
}

template <typename T, typename Index>
class ColumnPool {
 public:
  ColumnPool(const Plan& plan, const WindowAxes& axes, const Blocks& blocks)
      : p_(plan),
        axes_(axes),
        finder_(plan, axes),
        rows_(blocks.rows()),
        batches_((plan.out.h + rows_ - 1) / rows_),
        lists_(static_cast<std::size_t>(std::min(plan.out.d * batches_, kMostLists))),
        scratch_(*of_thread_) {}

  void fill(const Block& block, BlockOutput<T, Index>& output) {
    if (block.windows != windows_) enter_stretch(block.windows);
    const T* plane = plane_of<const T>(p_.self, block);
    const List& list = list_of(block, plane);
    if (has_slots_ && fill_slots(block, output, list, plane)) return;
    bool nans = false;
    std::size_t begin = 0;
    for (std::int64_t h = 0; h < block.rows.size(); ++h) {
      const std::size_t end = list.ends[static_cast<std::size_t>(h)];
      nans = fill_columns({&list.rows[begin], end - begin, plane - list.plane}, columns_of(h)) || nans;
      begin = end;
    }
    const LeaderRow best = output.leaders(block, block.rows.begin);
    const std::int64_t columns = block.rows.size() * pitch_;
    if (nans) {
      lead_windows<true>(columns_of(0), columns, scratch_, block.count(), best);
    } else {
      lead_windows<false>(columns_of(0), columns, scratch_, block.count(), best);
    }
    output.take_leaders(block, nans);
  }

 private:
  struct List;

  // False if there may be a NaN.
  bool fill_slots(const Block& block, BlockOutput<T, Index>& output, const List& list, const T* plane) {
    row_lists_.clear();
    number_lists_.clear();
    std::size_t begin = 0;
    for (const std::size_t end : list.ends) {
      row_lists_.push_back({&list.rows[begin], end - begin, plane - list.plane});
      if (has_halves_) number_lists_.push_back(&list.numbers[begin]);
      begin = end;
    }
    const LeaderRow best = output.leaders(block, block.rows.begin);
    const auto best_of = [&](std::size_t h) -> LeaderRow {
      const std::int64_t at = static_cast<std::int64_t>(h) * block.row_length();
      return {best.values + at, best.positions + at};
    };
    const auto slices = static_cast<std::size_t>(axes_.d.cells(block.d).size());
    const std::span<const RowsOfWindows<T>> rows(row_lists_);
    if constexpr (sizeof(T) == 2) {
      if (has_halves_) {
        const auto columns = [&](std::int64_t h) { return columns_of(h); };
        if (halves_.lead(rows, number_lists_, slices, columns)) return false;
        for (std::size_t h = 0; h < rows.size(); ++h)
          slots_.lead_from(columns(static_cast<std::int64_t>(h)), best_of(h));
        output.take_leaders(block, false);
        return true;
      }
    }
    if (slots_.lead(rows, slices, columns_of(0), best_of)) return false;
    output.take_leaders(block, false);
    return true;
  }

  // The rows of cells of a block's rows of windows, which are the same in every plane.
  struct List {
    std::int64_t number = -1;
    const T* plane = nullptr;
    std::vector<Source<T>> rows;
    std::vector<std::int16_t> numbers;  // of those rows in the plane, for halves
    std::vector<std::size_t> ends;      // of each row of windows
  };
  static constexpr std::int64_t kMostLists = 1024;

  const List& list_of(const Block& block, const T* plane) {
    const std::int64_t number = block.d * batches_ + block.rows.begin / rows_;
    List& list = lists_[static_cast<std::size_t>(number) % lists_.size()];
    if (list.number == number) return list;
    list.number = number;
    list.plane = plane;
    list.rows.clear();
    list.ends.clear();
    for (std::int64_t h = block.rows.begin; h < block.rows.end; ++h) {
      const std::vector<Source<T>>& rows = finder_.find_rows(plane, block.d, h, cells_.begin);
      list.rows.insert(list.rows.end(), rows.begin(), rows.end());
      list.ends.push_back(list.rows.size());
    }
    list.numbers.clear();
    if (!has_halves_) return list;
    for (const Source<T>& row : list.rows)
      list.numbers.push_back(static_cast<std::int16_t>(row.position / p_.in.w));
    return list;
  }

  // Which columns the windows of a block have, row after row.
  void enter_stretch(const Span& windows) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
    windows_ = windows;
    for (List& list : lists_) list.number = -1;
    cells_ = {axes_.w.cells(windows.begin).begin, axes_.w.cells(windows.end - 1).end};
    pitch_ = cells_.size();
    has_slots_ = slots_.enter(axes_.w, windows, cells_.begin);
    has_halves_ = has_slots_ && slots_.follows_first() && HalfColumns<T>::takes(p_) &&
                  pitch_ >= HalfColumns<T>::kFewest;
    halves_.enter(pitch_, cells_.begin, p_.in.w);
    std::int64_t least = p_.kernel.w;
    for (std::int64_t o = windows.begin; o < windows.end; ++o)
      least = std::min(least, axes_.w.cells(o).size());
    const auto width = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(least)));
    scratch_.make_room(rows_ * std::max(pitch_, has_slots_ ? slots_.room() : 0), rows_ * windows.size(),
                       width + lanes);
    scratch_.width = width;
    for (std::int64_t i = 0; i < rows_ * windows.size(); ++i) {
      const Span cells = axes_.w.cells(windows.begin + i % windows.size());
      const std::int64_t row = i / windows.size() * pitch_ - cells_.begin;
      scratch_.first[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(row + cells.begin);
      scratch_.last[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(row + cells.end - width);
    }
  }

  LeaderRow columns_of(std::int64_t row) const {
    return {scratch_.values.data() + row * pitch_, scratch_.positions.data() + row * pitch_};
  }

  bool fill_columns(const RowsOfWindows<T>& rows, const LeaderRow& to) const {
    if (!lead_columns<false>(Floats(), rows, cells_.size(), to)) return false;
    return lead_columns<true>(Floats(), rows, cells_.size(), to);
  }

  WindowSlots slots_;  // in front, since it begins a cache line
  const Plan& p_;
  const WindowAxes& axes_;
  TapFinder<T> finder_;
  const std::int64_t rows_;     // of windows in a block, at most
  const std::int64_t batches_;  // of them in a slice
  std::vector<List> lists_;
  const OfThread<ColumnScratch> of_thread_;
  ColumnScratch& scratch_;
  HalfColumns<T> halves_;
  std::vector<RowsOfWindows<T>> row_lists_;
  std::vector<const std::int16_t*> number_lists_;
  Span windows_;
  Span cells_;  // those of the windows
  std::int64_t pitch_ = 0;
  bool has_slots_ = false;
  bool has_halves_ = false;
};

void run_columns(const Plan& plan, Workers& workers) {
  run_blocks<ColumnPool>(plan, column_limits(plan), workers);
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool::columns {
namespace {

// How often a cell is looked at, at most, in halves.
std::int64_t doubled_visits(const WindowAxis& axis) {
  return axis.in == 0 ? 0 : 2 * axis.out * axis.extent / axis.in;
}

}  // namespace

const char* why_not(const Plan& plan) {
  constexpr std::int64_t kLeastWidth = 3;
  constexpr std::int64_t kMostWidth = 1 << 20;
  if (const char* reason = why_no_blocks(plan)) return reason;
  if (float_lanes() == 1) return "this instruction set has no vectors";
  if (plan.self.w != 1) return "W is not dense";
  if (std::max({plan.dilation.d, plan.dilation.h, plan.dilation.w}) > 1) return "windows are dilated";
  if (plan.kernel.w > kMostWidth) return "windows are wide";
  if (plan.stride.w == 0) return nullptr;
  const WindowAxes axes(plan);
  if (!axes.all_reach_cells()) return "a window lies in the padding altogether";
  if (plan.kernel.w < kLeastWidth) return "windows are narrow";
  if (doubled_visits(axes.d) * doubled_visits(axes.h) > 4 || doubled_visits(axes.w) > 3)
    return "windows share most of their cells";
  return nullptr;
}

CAIRN_RUN_KERNEL(run_columns)

}  // namespace cairn::max_pool::columns
#endif
