// Windows that share few cells, of any size and spacing, as those of adaptive pooling: the best of each
// column of a window's rows, in vectors along W, then the best of each window's columns, in vectors along
// windows.

#include <algorithm>
#include <cstdint>
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

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

// Some columns from `column` on over all rows. Until the end a position is that of the row.
template <bool kNans, std::size_t kVectors, class D, typename T>
HWY_INLINE void lead_vectors(D d, const std::vector<Source<T>>& rows, std::int64_t column,
                             hn::Vec<D>& watcher, const LeaderRow& best) {
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  Leader<D> leaders[kVectors];
  const auto load = [&](const Source<T>& row, std::size_t v) HWY_ATTR {
    const auto cells = load_float(d, row.from + column + static_cast<std::int64_t>(v) * lanes);
    watch<D>(watcher, cells);
    return cells;
  };
  for (std::size_t v = 0; v < kVectors; ++v) leaders[v] = {load(rows[0], v), hn::Set(di, rows[0].position)};
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const auto place = hn::Set(di, rows[r].position);
    for (std::size_t v = 0; v < kVectors; ++v) leaders[v].template meet<kNans>(load(rows[r], v), place);
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::int64_t at = column + static_cast<std::int64_t>(v) * lanes;
    hn::StoreU(leaders[v].value, d, best.values + at);
    hn::StoreU(hn::Add(leaders[v].position, hn::Iota(di, static_cast<std::int32_t>(at))), di,
               best.positions + at);
  }
}

// True if there may be a NaN.
template <bool kNans, class D, typename T>
HWY_INLINE bool lead_columns(D d, const std::vector<Source<T>>& rows, std::int64_t columns,
                             const LeaderRow& best) {
  constexpr std::int64_t kTogether = 4;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (columns < lanes) return lead_columns<kNans>(hn::Half<D>(), rows, columns, best);
  }
  auto watcher = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + kTogether * lanes <= columns; i += kTogether * lanes)
    lead_vectors<kNans, kTogether>(d, rows, i, watcher, best);
  for (; i < columns; i += lanes)
    lead_vectors<kNans, 1>(d, rows, std::min(i, columns - lanes), watcher, best);
  return is_alarmed(d, watcher);
}

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

// Window i has the columns from first[i] to last[i], `most` at most; whole vectors of windows are looked at.
template <bool kNans>
void lead_windows(const LeaderRow& columns, const ColumnScratch& windows, std::int64_t count,
                  std::int64_t most, const LeaderRow& best) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes) {
    const auto last = hn::LoadU(di, windows.last.data() + i);
    auto column = hn::LoadU(di, windows.first.data() + i);
    Leader<Floats> leader{hn::GatherIndex(d, columns.values, column),
                          hn::GatherIndex(di, columns.positions, column)};
    for (std::int64_t k = 1; k < most; ++k) {
      column = hn::Min(hn::Add(column, hn::Set(di, 1)), last);
      meet_column<kNans>(leader, hn::GatherIndex(d, columns.values, column),
                         hn::GatherIndex(di, columns.positions, column));
    }
    hn::StoreU(leader.value, d, best.values + i);
    hn::StoreU(leader.position, di, best.positions + i);
  }
}

template <typename T, typename Index>
class ColumnPool {
 public:
  ColumnPool(const Plan& plan, const WindowAxes& axes, const Blocks& blocks)
      : p_(plan), axes_(axes), finder_(plan, axes), rows_(blocks.rows()), scratch_(*of_thread_) {}

  void fill(const Block& block, BlockOutput<T, Index>& output) {
    if (block.windows != windows_) enter_stretch(block.windows);
    const T* plane = plane_of<const T>(p_.self, block);
    bool nans = false;
    for (std::int64_t h = block.rows.begin; h < block.rows.end; ++h) {
      const std::vector<Source<T>>& rows = finder_.find_rows(plane, block.d, h, cells_.begin);
      nans = fill_columns(rows, columns_of(h - block.rows.begin)) || nans;
    }
    const LeaderRow best = output.leaders(block, block.rows.begin);
    if (nans) {
      lead_windows<true>(columns_of(0), scratch_, block.count(), p_.kernel.w, best);
    } else {
      lead_windows<false>(columns_of(0), scratch_, block.count(), p_.kernel.w, best);
    }
    output.take_leaders(block, nans);
  }

 private:
  // Which columns the windows of a block have, row after row.
  void enter_stretch(const Span& windows) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
    windows_ = windows;
    cells_ = {axes_.w.cells(windows.begin).begin, axes_.w.cells(windows.end - 1).end};
    pitch_ = (cells_.size() + lanes - 1) / lanes * lanes;
    scratch_.make_room(rows_ * pitch_, rows_ * windows.size(), lanes);
    for (std::int64_t i = 0; i < rows_ * windows.size(); ++i) {
      const Span cells = axes_.w.cells(windows.begin + i % windows.size());
      const std::int64_t row = i / windows.size() * pitch_ - cells_.begin;
      scratch_.first[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(row + cells.begin);
      scratch_.last[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(row + cells.end - 1);
    }
  }

  LeaderRow columns_of(std::int64_t row) const {
    return {scratch_.values.data() + row * pitch_, scratch_.positions.data() + row * pitch_};
  }

  bool fill_columns(const std::vector<Source<T>>& rows, const LeaderRow& to) const {
    if (!lead_columns<false>(Floats(), rows, cells_.size(), to)) return false;
    return lead_columns<true>(Floats(), rows, cells_.size(), to);
  }

  const Plan& p_;
  const WindowAxes& axes_;
  TapFinder<T> finder_;
  const std::int64_t rows_;  // of windows in a block, at most
  const OfThread<ColumnScratch> of_thread_;
  ColumnScratch& scratch_;
  Span windows_;
  Span cells_;  // those of the windows
  std::int64_t pitch_ = 0;
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
