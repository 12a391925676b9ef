// Blocks row by row: reduced along W, then over the rows of a slice, then over slices. Any windows, NaNs and
// all; what neighbouring windows share is reduced once.

#if defined(CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "hwy/highway.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/max_pool/cpu/block_output-inl.h"
#include "ops/max_pool/cpu/prefetch.h"
#include "ops/max_pool/cpu/row_buffers.h"
#include "ops/max_pool/cpu/row_doubling-inl.h"
#include "ops/max_pool/cpu/row_scratch.h"
#include "ops/max_pool/cpu/row_steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

// Cells of a row as floats; true if there may be a NaN among them.
template <typename T>
bool widen_cells(const Plan& plan, const void* cells, std::int64_t count, std::int64_t ahead, float* to) {
  const auto* from = static_cast<const T*>(cells);
  return plan.self.w == 1 ? widen_run(from, to, count, ahead) : widen_strided(from, plan.self.w, to, count);
}

// The best of each window, as floats with short positions: compiled once for all types.
class RowReducer {
 public:
  using Widen = bool (*)(const Plan&, const void* cells, std::int64_t count, std::int64_t ahead, float* to);

  RowReducer(const Plan& plan, const WindowAxes& axes, const Blocks& blocks, Widen widen)
      : p_(plan),
        axes_(axes),
        buffers_(plan, axes, static_cast<std::int64_t>(hn::Lanes(Floats()))),
        widen_(widen),
        slab_rows_(blocks.rows()),
        prefetch_distance_(prefetch_distance(plan, size_of(plan.type))),
        scratch_(*of_thread_) {
    scratch_.make_room(plan, axes, buffers_, slab_rows_, static_cast<std::int64_t>(hn::Lanes(Floats())));
  }

  // `first` is where its first row goes. True if there may be a NaN.
  bool fill(const Block& block, const LeaderRow& first) {
    if (block.windows != windows_) enter_stretch(block.windows);
    if (block.batch != batch_) enter_batch(block);
    const auto to = [&](std::int64_t h) -> LeaderRow {
      const std::int64_t at = (h - block.rows.begin) * block.row_length();
      return {first.values + at, first.positions + at};
    };
    const bool nans = reduce(block, to);
    for (const std::int64_t window : without_tap_) {
      for (std::int64_t h = rows_.begin; h < rows_.end; ++h) to(h).positions[window] = -1;
    }
    return nans;
  }

 private:
  void enter_stretch(const Span& windows) {
    windows_ = windows;
    without_tap_.clear();
    for (std::int64_t o = windows.begin; o < windows.end; ++o) {
      const Span taps = axes_.w.taps(o);
      scratch_.first[static_cast<std::size_t>(o - windows.begin)] =
          static_cast<std::int32_t>(taps.begin * axes_.w.dilation);
      if (taps.size() == 0) without_tap_.push_back(o - windows.begin);
    }
    const std::int64_t start = axes_.w.start(windows.begin);
    columns_ = {
        windows.size(),       p_.kernel.w, p_.stride.w, p_.dilation.w, static_cast<std::int32_t>(start),
        scratch_.first.data()};
    cells_ = cells_of(axes_.w, windows);
    std::fill_n(scratch_.input.begin(), scratch_.input_size, -std::numeric_limits<float>::infinity());
    doubling_ = pays_to_double(columns_);
    if (doubling_) {
      grow(scratch_.doubled, scratch_.input_size);
      grow(scratch_.doubled_at, scratch_.input_size);
    }
    // The cells begin where a vector does, whatever the padding in front of them.
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
    const std::int64_t padding = cells_.begin - start;
    input_ = scratch_.input.data() + (padding + lanes - 1) / lanes * lanes;
    first_tap_ = input_ - padding;
  }

  void enter_batch(const Block& block) {
    batch_ = block.batch;
    rows_ = block.rows;
    plane_ = block.n * p_.self.n + block.c * p_.self.c;
    std::fill(scratch_.slots.begin(), scratch_.slots.end(), RowScratch::Slot{});
  }

  // Over all of a block; true if there may be a NaN.
  template <typename To>
  bool reduce(const Block& block, const To& to) {
    const Span taps = axes_.d.taps(block.d);
    if (taps.size() == 0) return fill_without_taps(to(rows_.begin), block.count()), false;
    if (buffers_.slots == 0) return reduce_slice(axes_.d.start(block.d), to);
    bool nans = false;
    for (std::int64_t i = taps.begin; i < taps.end; ++i) {
      nans = keep_slab(axes_.d.cell(block.d, i)) || nans;
    }
    for (std::int64_t h = rows_.begin; h < rows_.end; ++h) {
      merged_.clear();
      for (std::int64_t i = taps.begin; i < taps.end; ++i) {
        merged_.push_back(row_of_slab(axes_.d.cell(block.d, i), h));
      }
      merge(nans, to(h));
    }
    return nans;
  }

  LeaderRow row_in(Aligned<float>& memory, std::int64_t row) const {
    float* values = memory.data() + row * 2 * buffers_.pitch;
    return {values, reinterpret_cast<std::int32_t*>(values + buffers_.pitch)};
  }
  LeaderRow row_of_slab(std::int64_t slice, std::int64_t h) const {
    return row_in(scratch_.slabs, slice % buffers_.slots * slab_rows_ + h - rows_.begin);
  }

  void merge(bool nans, const LeaderRow& to) const {
    const auto count = static_cast<std::int64_t>(merged_.size());
    if (nans) {
      merge_rows<true>(merged_.data(), count, windows_.size(), to);
    } else {
      merge_rows<false>(merged_.data(), count, windows_.size(), to);
    }
  }

  bool keep_slab(std::int64_t slice) {
    RowScratch::Slot& slot = scratch_.slots[static_cast<std::size_t>(slice % buffers_.slots)];
    if (slot.slice != slice) {
      slot.nans = reduce_slice(slice, [&](std::int64_t h) { return row_of_slab(slice, h); });
      slot.slice = slice;
    }
    return slot.nans;
  }

  // The best of one input slice: to(h) says where the windows of row h go. True if there may be a NaN.
  template <typename To>
  bool reduce_slice(std::int64_t d, const To& to) {
    bool nans = false;
    std::int64_t next = 0;  // rows before it are reduced, or of no use
    for (std::int64_t h = rows_.begin; h < rows_.end; ++h) {
      const Span taps = axes_.h.taps(h);
      merged_.clear();
      for (std::int64_t i = taps.begin; i < taps.end; ++i) {
        const std::int64_t row = axes_.h.cell(h, i);
        merged_.push_back(row_in(scratch_.reduced, row & (buffers_.ring - 1)));
        if (axes_.h.dilation > 1 || row >= next) nans = reduce_row_of_plane(d, row, merged_.back()) || nans;
        next = std::max(next, row + 1);
      }
      if (merged_.empty()) {
        fill_without_taps(to(h), windows_.size());
      } else {
        merge(nans, to(h));
      }
    }
    return nans;
  }

  bool reduce_row_of_plane(std::int64_t d, std::int64_t h, const LeaderRow& best) {
    const std::int64_t first = plane_ + d * p_.self.d + h * p_.self.h + cells_.begin * p_.self.w;
    const bool nans = widen_(p_, static_cast<const std::byte*>(p_.self.data) + first * size_of(p_.type),
                             cells_.size(), prefetch_distance_, input_);
    const auto row = static_cast<std::int32_t>((d * p_.in.h + h) * p_.in.w);
    if (nans) {
      reduce_columns<true>(row, best);
    } else {
      reduce_columns<false>(row, best);
    }
    return nans;
  }

  template <bool kNans>
  void reduce_columns(std::int32_t row, const LeaderRow& best) {
    if (!doubling_) return reduce_row<kNans>(columns_, first_tap_, row, best);
    const LeaderRow cells{scratch_.doubled.data(), scratch_.doubled_at.data()};
    reduce_row_by_doubling<kNans>(columns_, first_tap_, row, cells, best);
  }

  const Plan& p_;
  const WindowAxes& axes_;
  const RowBuffers buffers_;
  const Widen widen_;
  const std::int64_t slab_rows_;
  const std::int64_t prefetch_distance_;
  const OfThread<RowScratch> of_thread_;
  RowScratch& scratch_;
  std::int64_t batch_ = -1;
  std::int64_t plane_ = 0;  // where it begins in self
  Span rows_;               // of windows
  Span windows_;            // along W
  Span cells_;              // what those look at, along W
  Columns columns_{};
  bool doubling_ = false;
  float* input_ = nullptr;            // where cell cells_.begin goes
  const float* first_tap_ = nullptr;  // of the first window
  std::vector<std::int64_t> without_tap_;
  std::vector<LeaderRow> merged_;
};

template <typename T, typename Index>
class Rows {
 public:
  Rows(const Plan& plan, const WindowAxes& axes, const Blocks& blocks)
      : reducer_(plan, axes, blocks, widen_cells<T>) {}

  void fill(const Block& block, BlockOutput<T, Index>& output) {
    const bool nans = reducer_.fill(block, output.leaders(block, block.rows.begin));
    output.take_leaders(block, nans);
  }

 private:
  RowReducer reducer_;
};

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
