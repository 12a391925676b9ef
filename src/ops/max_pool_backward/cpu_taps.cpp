#include "ops/max_pool_backward/cpu_taps.h"

#include <algorithm>
#include <limits>

#include "hwy/aligned_allocator.h"
#include "hwy/cache_control.h"
#include "ops/kernel/rows.h"
#include "ops/kernel/split.h"
#include "ops/max_pool_backward/cpu_shape.h"
#include "ops/max_pool_backward/cpu_tile.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool_backward/cpu_taps.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kernel/narrow_sink-inl.h"
#include "ops/max_pool_backward/cpu_cover-inl.h"
#include "ops/max_pool_backward/cpu_stage-inl.h"

#ifndef CAIRN_OPS_MAX_POOL_BACKWARD_CPU_TAPS_ONCE_
#define CAIRN_OPS_MAX_POOL_BACKWARD_CPU_TAPS_ONCE_
namespace cairn::max_pool_backward {
namespace {

// Memory of one thread, kept between tiles and calls.
template <typename E>
class Scratch {
 public:
  E* at_least(std::int64_t count) {
    if (count > size_) {
      data_ = hwy::AllocateAligned<E>(static_cast<std::size_t>(count));
      size_ = count;
    }
    return data_.get();
  }

 private:
  hwy::AlignedFreeUniquePtr<E[]> data_;
  std::int64_t size_ = 0;
};

struct TileScratch {
  Scratch<std::int32_t> staged;
  Scratch<float> out;
  Scratch<std::int64_t> index_row;
  Scratch<float> gradient_row;
};

}  // namespace
}  // namespace cairn::max_pool_backward
#endif

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_backward {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// One lane suits no plan: the scatter is faster.
void run_tiles(const Tiling&, TileScratch&, std::int64_t, std::int64_t) {}
std::int64_t lane_count() { return 1; }

#else

using cairn::HWY_NAMESPACE::narrow_run;
using cairn::HWY_NAMESPACE::NarrowSink;
using cairn::HWY_NAMESPACE::stream_run;

template <typename T, typename Index>
class TileRunner {
 public:
  TileRunner(const Tiling& tiling, TileScratch& scratch)
      : t_(tiling),
        p_(tiling.plan),
        staged_(scratch.staged.at_least(2 * tiling.staged_elements())),
        index_row_(reinterpret_cast<Index*>(scratch.index_row.at_least(p_.out.w + kSlack))),
        gradient_row_(reinterpret_cast<T*>(scratch.gradient_row.at_least(p_.out.w + kSlack))),
        out_(
            scratch.out.at_least(tiling.block_rows * p_.in.w * tiling.channels + (p_.stride.w + 3) * kSlack)),
        sink_(out_, tiling.streaming),
        slots_(static_cast<std::size_t>(tiling.slots)) {
    no_source_ = staged_ + (t_.staged_elements() - t_.pitch) + t_.lead;
    stage_borders();
    block_.to_gradient = t_.staged_elements();
    block_.step = t_.step;
    block_.width = p_.in.w;
    block_.phases = t_.phases.data();
    block_.stride_w = p_.stride.w;
    const bool compiled = with_compiled_shape(p_, [&]<class Shape>() {
      cover_ = t_.lane_axis == LaneAxis::kWidth ? cover_width<Shape> : cover_channels<Shape>;
      first_row_ = Shape::kFirstRow;
      rows_ = Shape::kRows;
    });
    if (!compiled) cover_ = t_.lane_axis == LaneAxis::kWidth ? cover_width_any : cover_channels_any;
  }

  void run(const Tile& tile) {
    tile_ = tile;
    for (Slot& slot : slots_) slot.od = -1;
    block_.channels = std::min(t_.channels, p_.c - tile.c);
    for (std::int64_t d = tile.d.begin; d < tile.d.end; ++d) {
      const Span slices = t_.axes.d.windows(d);
      for (std::int64_t h = tile.h.begin; h < tile.h.end; h += t_.block_rows) run_block(d, h, slices);
    }
  }

  void finish() {
    sink_.finish();
    if (t_.streaming) hwy::FlushStream();
  }

 private:
  static constexpr std::int64_t kSlack = 64;

  // A slice of windows of which rows up to `staged` have been staged.
  struct Slot {
    std::int64_t od;
    std::int64_t staged;
  };

  template <typename E>
  E* address(const View5& view, std::int64_t d, std::int64_t h) const {
    return static_cast<E*>(view.data) + tile_.n * view.n + tile_.c * view.c + d * view.d + h * view.h;
  }

  std::int32_t* staged_row(std::int64_t od, std::int64_t oh) const {
    return staged_ + ((od & (t_.slots - 1)) * t_.ring + (oh & (t_.ring - 1))) * t_.pitch + t_.lead;
  }

  Span rows_over(std::int64_t h) const {
    if (rows_ == 0) return t_.axes.h.windows(h);
    const std::int64_t first = h / p_.stride.h + first_row_;
    return {first, first + rows_};
  }

  void run_block(std::int64_t d, std::int64_t h, Span slices) {
    const Span rows = rows_over(h);
    row_table_.clear();
    for (std::int64_t od = slices.begin; od < slices.end; ++od) {
      stage_rows(od, {std::max<std::int64_t>(rows.begin, 0), std::min(rows.end, p_.out.h)});
      for (std::int64_t oh = rows.begin; oh < rows.end; ++oh) {
        row_table_.push_back(0 <= oh && oh < p_.out.h ? staged_row(od, oh) : no_source_);
      }
    }
    block_.rows = row_table_.data();
    block_.slices = slices.size();
    block_.rows_per_slice = rows.size();
    block_.position = static_cast<std::int32_t>((d * p_.in.h + h) * p_.in.w);
    write_block(d, h, std::min(t_.block_rows, tile_.h.end - h));
  }

  // What lies around the windows of a row stays when the row is staged anew.
  void stage_borders() {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
    const std::int64_t end = (p_.out.w * t_.step + lanes - 1) / lanes * lanes;
    for (std::int32_t* row = staged_; row != staged_ + t_.staged_elements(); row += t_.pitch) {
      stage_no_source(row, t_.lead);
      stage_no_source(row + t_.lead + end, t_.pitch - t_.lead - end);
    }
    stage_no_source(no_source_, end);
  }

  void stage_rows(std::int64_t od, Span rows) {
    Slot& slot = slots_[static_cast<std::size_t>(od & (t_.slots - 1))];
    if (slot.od != od) slot = {od, rows.begin};
    for (; slot.staged < rows.end; ++slot.staged) stage_row(od, slot.staged);
  }

  void stage_row(std::int64_t od, std::int64_t oh) {
    std::int32_t* to = staged_row(od, oh);
    auto* to_gradient = reinterpret_cast<float*>(to + block_.to_gradient);
    const CoveredRows covered(t_, od, oh);
    auto any_stray = hn::FirstN(IndexTag(), 0);
    if (t_.lane_axis == LaneAxis::kWidth) {
      any_stray = stage_run<LaneAxis::kWidth>(
          covered, row_run(p_.indices, od, oh, index_row_), row_run(p_.grad_output, od, oh, gradient_row_),
          t_.first_column.data(), t_.more_columns.data(), to, to_gradient, index_row_, gradient_row_);
    } else {
      for (std::int64_t ow = 0; ow < p_.out.w; ++ow) {
        const auto strays_here = stage_run<LaneAxis::kChannels>(
            covered, channel_run<Index>(p_.indices, od, oh, ow), channel_run<T>(p_.grad_output, od, oh, ow),
            &t_.first_column[static_cast<std::size_t>(ow)], &t_.more_columns[static_cast<std::size_t>(ow)],
            to + ow * t_.step, to_gradient + ow * t_.step, index_row_, gradient_row_);
        any_stray = hn::Or(any_stray, strays_here);
      }
    }
    if (!hn::AllFalse(IndexTag(), any_stray)) {
      const std::int64_t plane = tile_.n * p_.c + tile_.c;
      for (std::int64_t c = 0; c < block_.channels; ++c) t_.stray[static_cast<std::size_t>(plane + c)] = true;
    }
  }

  template <typename E>
  Run<E> row_run(const View5& view, std::int64_t od, std::int64_t oh, E* copy) const {
    const E* row = address<const E>(view, od, oh);
    const std::int64_t count = p_.out.w;
    if (view.w != 1) {
      for (std::int64_t i = 0; i < count; ++i) copy[i] = row[i * view.w];
      return {copy, count, count + kSlack};
    }
    if (view.h != count) return {row, count, count};
    const bool dense_slices = view.d == count * p_.out.h;
    const std::int64_t rows_left = p_.out.h - oh + (dense_slices ? (p_.out.d - 1 - od) * p_.out.h : 0);
    return {row, count, rows_left * count};
  }

  template <typename E>
  Run<E> channel_run(const View5& view, std::int64_t od, std::int64_t oh, std::int64_t ow) const {
    const std::int64_t windows_left = view.w == p_.c ? p_.out.w - 1 - ow : 0;
    return {address<const E>(view, od, oh) + ow * view.w, block_.channels,
            p_.c - tile_.c + windows_left * p_.c};
  }

  void write_block(std::int64_t d, std::int64_t h, std::int64_t rows) {
    const View5& view = p_.grad_input;
    T* to = address<T>(view, d, h);
    const std::int64_t cell = block_.channels;
    const std::int64_t row = p_.in.w * cell;
    const bool dense_cells = t_.lane_axis == LaneAxis::kWidth ? view.w == 1 : view.w == cell;
    if (dense_cells && (view.h == row || p_.in.h == 1)) {
      block_.out = sink_.room(to);
      cover_(block_);
      return sink_.commit(rows * row);
    }
    block_.out = out_;
    cover_(block_);
    for (std::int64_t i = 0; i < rows; ++i) {
      const float* from = out_ + i * row;
      T* to_row = to + i * view.h;
      if (dense_cells) {
        narrow_run(from, to_row, row);
      } else if (t_.lane_axis == LaneAxis::kWidth) {
        narrow_row(from, to_row, view.w, row);
      } else {
        for (std::int64_t w = 0; w < p_.in.w; ++w) write_cell(from + w * cell, to_row + w * view.w, cell);
      }
    }
  }

  void write_cell(const float* from, T* to, std::int64_t channels) const {
    constexpr auto kLine = NarrowSink<T>::kLine;
    const bool whole_lines = channels % kLine == 0 && reinterpret_cast<std::uintptr_t>(to) % 64 == 0;
    if (t_.streaming && whole_lines) return stream_run(from, to, channels);
    narrow_run(from, to, channels);
  }

  const Tiling& t_;
  const Plan& p_;
  std::int32_t* staged_;
  Index* index_row_;
  T* gradient_row_;
  float* out_;
  NarrowSink<T> sink_;
  std::vector<Slot> slots_;
  std::vector<const std::int32_t*> row_table_;
  std::int32_t* no_source_;
  Block block_{};
  void (*cover_)(const Block&) = nullptr;
  std::int64_t first_row_ = 0;
  std::int64_t rows_ = 0;  // of windows, for a block of a compiled shape
  Tile tile_{};
};

template <typename T, typename Index>
void run_tiles_as(const Tiling& tiling, TileScratch& scratch, std::int64_t begin, std::int64_t end) {
  TileRunner<T, Index> runner(tiling, scratch);
  for (std::int64_t i = begin; i < end; ++i) runner.run(tiling[i]);
  runner.finish();
}

template <typename T>
void run_tiles_of(const Tiling& tiling, TileScratch& scratch, std::int64_t begin, std::int64_t end) {
  if (tiling.plan.index_type == DataType::kInt32) {
    run_tiles_as<T, std::int32_t>(tiling, scratch, begin, end);
  } else {
    run_tiles_as<T, std::int64_t>(tiling, scratch, begin, end);
  }
}

void run_tiles(const Tiling& tiling, TileScratch& scratch, std::int64_t begin, std::int64_t end) {
  if (tiling.plan.type == DataType::kFloat) return run_tiles_of<float>(tiling, scratch, begin, end);
  if (tiling.plan.type == DataType::kFloat16) return run_tiles_of<Float16>(tiling, scratch, begin, end);
  return run_tiles_of<Bfloat16>(tiling, scratch, begin, end);
}

std::int64_t lane_count() { return static_cast<std::int64_t>(hn::Lanes(FloatTag())); }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace cairn::max_pool_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool_backward {
namespace {

HWY_EXPORT(run_tiles);
HWY_EXPORT(lane_count);

// Below this the scatter is done before the tiles are laid out.
constexpr std::int64_t kFewElements = 2048;
constexpr std::int64_t kTaskCells = std::int64_t{1} << 14;
// A tap costs a fraction of a cycle for each lane; the scatter costs the same whatever the window.
constexpr std::int64_t kTapsPerLane = 4;
constexpr std::int64_t kLargestStage = std::int64_t{1} << 20;

// Every window reaches a cell, so that every index is looked at.
bool all_windows_reach(const Axis& axis) {
  return axis.cells(0).size() > 0 && axis.cells(axis.out - 1).size() > 0;
}

bool suits(const Plan& p, std::int64_t lanes) {
  const Axes axes(p);
  const bool dilated = p.dilation.d != 1 || p.dilation.h != 1 || p.dilation.w != 1;
  const std::int64_t cells = p.in.count();
  if (lanes == 1 || dilated || cells == 0 || p.out.count() == 0) return false;
  if (cells > std::numeric_limits<std::int32_t>::max() || p.n * p.c * cells < kFewElements) return false;
  if (p.kernel.count() > kTapsPerLane * lanes) return false;
  return all_windows_reach(axes.d) && all_windows_reach(axes.h) && all_windows_reach(axes.w);
}

}  // namespace

std::optional<std::vector<std::int64_t>> cover_by_taps(const Plan& plan, Workers& workers) {
  const std::int64_t lanes = HWY_DYNAMIC_DISPATCH(lane_count)();
  if (!suits(plan, lanes)) return std::nullopt;
  const Tiling tiling(plan, lanes, workers.count());
  if (tiling.staged_elements() > kLargestStage) return std::nullopt;
  const std::int64_t grain = std::max<std::int64_t>(kTaskCells / tiling.cells_per_tile(), 1);
  for_each_range(workers, tiling.count(), grain, 1, [&](std::int64_t begin, std::int64_t end) {
    static thread_local TileScratch scratch;
    HWY_DYNAMIC_DISPATCH(run_tiles)(tiling, scratch, begin, end);
  });
  std::vector<std::int64_t> strays;
  for (std::int64_t plane = 0; plane < plan.n * plan.c; ++plane) {
    if (tiling.stray[static_cast<std::size_t>(plane)]) strays.push_back(plane);
  }
  return strays;
}

}  // namespace cairn::max_pool_backward
#endif
