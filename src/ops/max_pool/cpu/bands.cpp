// Small windows side by side: bands of rows laid out, reduced along W, then over the rows of a slice, then
// over slices. A block in which a NaN or, in FLOAT, an infinity asks for care is computed again, row by row.
// Of the time that rows need it takes 60 % (p2-sppf FLOAT), 70 % (p2-resnet FLOAT), 40 to 55 % (p3-i3d,
// p3-k3s2 and p2-resnet in halves).

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool/cpu/band_grid.h"
#include "ops/max_pool/cpu/band_scratch.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/cpu/row_buffers.h"
#include "ops/max_pool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/bands.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool/cpu/band_steps-inl.h"
#include "ops/max_pool/cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

template <typename T, typename Index>
using Bands = Rows<T, Index>;

#else

template <typename T, typename Index>
class Bands {
 public:
  Bands(const Plan& plan, const WindowAxes& axes, const Blocks& blocks)
      : p_(plan),
        axes_(axes),
        blocks_(blocks),
        buffers_(plan, axes, static_cast<std::int64_t>(hn::Lanes(Floats()))),
        scratch_(*of_thread_) {
    const auto last = [](std::int64_t size, std::int64_t stride) {
      return std::max<std::int64_t>(stride, 0) * (size - 1);
    };
    end_ = static_cast<const T*>(p_.self.data) + last(p_.n, p_.self.n) + last(p_.c, p_.self.c) +
           last(p_.in.d, p_.self.d) + last(p_.in.h, p_.self.h) + p_.in.w;
  }

  void fill(const Block& block, BlockOutput<T, Index>& output) {
    if (block.windows != windows_) enter_stretch(block.windows);
    if (block.batch != batch_) enter_batch(block);
    const Alarm alarm = fill_at_once(block.d, output.values(), output.positions());
    if (alarm.care) {
      if (!careful_) careful_.emplace(p_, axes_, blocks_);
      careful_->fill(block, output);
    } else if (alarm.negative_zeros) {
      output.restore_zeros(block);
    }
  }

 private:
  using Windows = std::conditional_t<sizeof(T) == 4, FloatWindows, PackedWindows>;
  using Cell = typename Windows::Cell;

  void enter_stretch(const Span& windows) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Ints()));
    windows_ = windows;
    cells_ = cells_of(axes_.w, windows);
    grid_ = BandGrid(axes_.w, windows, cells_, buffers_.pitch, lanes);
    const std::int64_t most = (most_cells() / grid_.row - p_.kernel.h) / p_.stride.h + 1;
    together_ = std::clamp<std::int64_t>(most, 1, blocks_.rows());
    const std::int64_t rows = (together_ - 1) * p_.stride.h + p_.kernel.h;
    grow(scratch_.laid_out, rows * grid_.row);
    grow(scratch_.band, rows * row_size());
    grow(scratch_.kept, buffers_.slots * blocks_.rows() * row_size());
    std::fill_n(laid_out(), rows * grid_.row, Windows::kNothing);
  }

  void enter_batch(const Block& block) {
    batch_ = block.batch;
    plane_ = plane_of<const T>(p_.self, block);
    rows_ = block.rows;
    base_ = std::max<std::int64_t>(axes_.h.start(rows_.begin), 0);
    slices_.fill(-1);
  }

  // The windows of slice d, row after row; of no use if the alarm asks for care.
  Alarm fill_at_once(std::int64_t d, T* values, Index* positions) {
    const Span taps = axes_.d.taps(d);
    const std::int64_t first = axes_.d.start(d) + taps.begin;
    const std::int64_t plane_size = p_.in.h * p_.in.w;
    const auto base = static_cast<std::int32_t>(first * plane_size + base_ * p_.in.w);
    const auto put = [&](const Windows& windows, std::int64_t h, std::int64_t o) HWY_ATTR {
      windows.write(base, values + h * grid_.windows + o, positions + h * grid_.windows + o);
    };
    if (buffers_.slots == 0) return reduce_slice(first, put);
    Alarm alarm;
    Line lines[BandGrid::kMostKernel];
    for (std::int64_t i = 0; i < taps.size(); ++i) {
      const std::int64_t slot = (first + i) % buffers_.slots;
      alarm |= keep(first + i, slot);
      lines[i] = {slot * blocks_.rows() * row_size(), static_cast<std::int32_t>(i * plane_size)};
    }
    if (!alarm.care) merge(kept(), lines, taps.size(), rows_.size(), row_size(), put);
    return alarm;
  }

  // How many cells are laid out at once. Fewer if most of them matter to one window alone: then there is more
  // to read, and what comes next should find room in the L1 cache as well.
  std::int64_t most_cells() const {
    return p_.stride.w == 1 ? 4096 : 6144 / static_cast<std::int64_t>(sizeof(T));
  }

  Cell* laid_out() const { return reinterpret_cast<Cell*>(scratch_.laid_out.data()); }
  Cell* band() const { return reinterpret_cast<Cell*>(scratch_.band.data()); }
  Cell* kept() const { return reinterpret_cast<Cell*>(scratch_.kept.data()); }
  std::int64_t row_size() const { return Windows::kStreams * buffers_.pitch; }

  Alarm keep(std::int64_t slice, std::int64_t slot) {
    const auto s = static_cast<std::size_t>(slot);
    if (slices_[s] != slice) {
      Cell* to = kept() + slot * blocks_.rows() * row_size();
      alarms_[s] = reduce_slice(slice, [&](const Windows& windows, std::int64_t h, std::int64_t o) HWY_ATTR {
        windows.keep(to + h * row_size() + o, buffers_.pitch);
      });
      slices_[s] = slice;
    }
    return alarms_[s];
  }

  // The windows of one input slice, over W and H.
  template <typename Put>
  Alarm reduce_slice(std::int64_t d, const Put& put) {
    Alarm alarm;
    for (std::int64_t h = rows_.begin; h < rows_.end && !alarm.care; h += together_) {
      const Span rows{h, std::min(h + together_, rows_.end)};
      alarm |= reduce_band(d, rows, [&](const Windows& windows, std::int64_t r, std::int64_t o) HWY_ATTR {
        put(windows, h - rows_.begin + r, o);
      });
    }
    return alarm;
  }

  template <typename Put>
  Alarm reduce_band(std::int64_t d, const Span& rows, const Put& put) {
    const Span band{axes_.h.start(rows.begin), axes_.h.start(rows.end - 1) + p_.kernel.h};
    const Alarm alarm = lay_out_band(d, band);
    if (alarm.care) return alarm;
    const auto position = static_cast<std::int32_t>((d * p_.in.h + band.begin) * p_.in.w);
    const T* next = plane_ + d * p_.self.d + axes_.h.start(rows.end) * p_.self.h + cells_.begin;
    const auto vector = static_cast<std::int64_t>(hn::Lanes(Ints()) * sizeof(T));
    const Upcoming upcoming{reinterpret_cast<const std::byte*>(next), p_.stride.w * vector};
    const bool square = p_.kernel.w == p_.kernel.h;
    const std::int64_t k = p_.kernel.h;
    const std::int64_t step = p_.stride.h;
    if (square && k == 3 && step == 1) {
      pool_columns<Windows, 3, 3, 1>(grid_, laid_out(), rows.size(), position, upcoming, put);
    } else if (square && k == 3 && step == 2) {
      pool_columns<Windows, 3, 3, 2>(grid_, laid_out(), rows.size(), position, upcoming, put);
    } else if (square && k == 5 && step == 1) {
      pool_columns<Windows, 5, 5, 1>(grid_, laid_out(), rows.size(), position, upcoming, put);
    } else {
      reduce_rows<Windows>(grid_, laid_out(), band.size(), position, upcoming, this->band());
      Line lines[BandGrid::kMostKernel];
      for (std::int64_t i = 0; i < k; ++i) lines[i] = {i * row_size(), 0};
      merge(this->band(), lines, k, rows.size(), step * row_size(), put);
    }
    return alarm;
  }

  // Rows outside the plane are padding.
  Alarm lay_out_band(std::int64_t d, const Span& band) {
    const Span inside{std::max<std::int64_t>(band.begin, 0), std::min(band.end, p_.in.h)};
    Cell* to = laid_out() + (inside.begin - band.begin) * grid_.row;
    std::fill(laid_out(), to, Windows::kNothing);
    std::fill(to + inside.size() * grid_.row, laid_out() + band.size() * grid_.row, Windows::kNothing);
    const RowsOfSelf<T> rows{plane_ + d * p_.self.d + inside.begin * p_.self.h + cells_.begin, p_.self.h,
                             inside.size()};
    const auto position = static_cast<std::int32_t>((inside.begin - base_) * p_.in.w + cells_.begin);
    const std::int64_t whole = whole_rows(rows);
    Alarm alarm = lay_out_rows({rows.from, rows.step, whole}, position, to);
    for (std::int64_t r = whole; r < rows.count; ++r) {
      alarm |= lay_out_last(rows.from + r * rows.step, position + static_cast<std::int32_t>(r * p_.in.w),
                            to + r * grid_.row);
    }
    return alarm;
  }

  // How many of the rows can be read in whole vectors without leaving self.
  std::int64_t whole_rows(const RowsOfSelf<T>& rows) const {
    const auto vector = static_cast<std::int64_t>(hn::Lanes(Ints())) * p_.stride.w;
    const std::int64_t read = (grid_.cells + vector - 1) / vector * vector;
    std::int64_t whole = rows.count;
    while (whole > 0 && end_ - (rows.from + (whole - 1) * rows.step) < read) --whole;
    return whole;
  }

  Alarm lay_out_rows(const RowsOfSelf<T>& rows, std::int32_t position, Cell* to) const {
    return p_.stride.w == 1 ? lay_out<1>(grid_, rows, position, to) : lay_out<2>(grid_, rows, position, to);
  }

  Alarm lay_out_last(const T* from, std::int32_t position, Cell* to) {
    grow(scratch_.last_row, grid_.row);
    T* copy = reinterpret_cast<T*>(scratch_.last_row.data());
    std::copy_n(from, grid_.cells, copy);
    std::fill_n(copy + grid_.cells, grid_.row - grid_.cells, T{});
    return lay_out_rows({copy, 0, 1}, position, to);
  }

  template <typename Put>
  void merge(const Cell* from, const Line* lines, std::int64_t count, std::int64_t rows, std::int64_t step,
             const Put& put) const {
    const auto n = static_cast<std::size_t>(count);
    if (count == 2) return merge_lines<Windows, 2>(grid_, from, lines, n, rows, step, put);
    if (count == 3) return merge_lines<Windows, 3>(grid_, from, lines, n, rows, step, put);
    if (count == 5) return merge_lines<Windows, 5>(grid_, from, lines, n, rows, step, put);
    return merge_lines<Windows, 0>(grid_, from, lines, n, rows, step, put);
  }

  const Plan& p_;
  const WindowAxes& axes_;
  const Blocks& blocks_;
  const RowBuffers buffers_;
  const OfThread<BandScratch> of_thread_;
  BandScratch& scratch_;
  std::optional<Rows<T, Index> > careful_;
  const T* end_ = nullptr;  // of self
  std::int64_t batch_ = -1;
  Span windows_;  // along W
  Span cells_;    // what those look at, along W
  BandGrid grid_;
  const T* plane_ = nullptr;
  Span rows_;                                                 // of windows
  std::int64_t base_ = 0;                                     // the first row they look at
  std::int64_t together_ = 1;                                 // rows of windows at a time
  std::array<std::int64_t, BandGrid::kMostKernel> slices_{};  // which input slice a slot holds
  std::array<Alarm, BandGrid::kMostKernel> alarms_{};
};

#endif

void run_bands(const Plan& plan, Workers& workers) { run_blocks<Bands>(plan, band_limits(plan), workers); }

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool::bands {

const char* why_not(const Plan& plan) {
  if (const char* reason = why_no_blocks(plan)) return reason;
  if (float_lanes() == 1) return "this instruction set has no vectors";
  if (plan.self.w != 1) return "W is not dense";
  if (has_uneven_windows(plan)) return "windows differ in size";
  if (plan.stride.w > 2) return "windows lie more than two apart along W";
  if (std::max({plan.dilation.d, plan.dilation.h, plan.dilation.w}) > 1) return "windows are dilated";
  if (std::max({plan.kernel.d, plan.kernel.h, plan.kernel.w}) > BandGrid::kMostKernel)
    return "windows are large";
  if (!WindowAxes(plan).all_reach_cells()) return "a window lies in the padding altogether";
  if (most_input_rows(plan) < std::min(plan.kernel.h, plan.in.h))
    return "windows reach further than 16 bits count";
  return nullptr;
}

CAIRN_RUN_KERNEL(run_bands)

}  // namespace cairn::max_pool::bands
#endif
