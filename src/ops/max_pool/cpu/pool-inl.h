// Blocks of windows, each by the way that suits the plan, with care for NaNs and for zeros' signs.

#if defined(CAIRN_OPS_MAX_POOL_CPU_POOL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_POOL_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_POOL_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_POOL_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "hwy/highway.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/max_pool/cpu/band_pool-inl.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/cpu/half_channels-inl.h"
#include "ops/max_pool/cpu/rows-inl.h"
#include "ops/max_pool/cpu/scratch.h"
#include "ops/max_pool/cpu/taps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

// Computes blocks, one after the other.
template <typename T, typename Index>
class Pool {  // NOLINT(clang-analyzer-optin.performance.Padding): of arrays that not every type needs
 public:
  Pool(const Plan& plan, const WindowAxes& axes, const Blocks& blocks, Scratch& scratch, bool streaming)
      : p_(plan),
        axes_(axes),
        blocks_(blocks),
        scratch_(scratch),
        values_writer_(streaming),
        indices_writer_(streaming),
        ahead_(some_rows_further(plan, sizeof(T))),
        bands_(plan, axes, blocks, scratch) {
    scratch.make_room(plan, axes, blocks, static_cast<std::int64_t>(hn::Lanes(Floats())));
  }

  // Blocks [begin, end), counted over groups of channels, stretches, and batches and D in the order that
  // suits.
  void run(std::int64_t begin, std::int64_t end) {
    const bool slices_first = blocks_.slices_first(p_, axes_);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t in_plane = i % (blocks_.batches * p_.out.d);
      const std::int64_t d = slices_first ? in_plane % p_.out.d : in_plane / blocks_.batches;
      const std::int64_t batch = slices_first ? in_plane / p_.out.d : in_plane % blocks_.batches;
      if (i == begin || in_plane == 0 || rows_.begin != batch * blocks_.rows) {
        enter_batch(i / (blocks_.batches * p_.out.d), batch);
      }
      fill_block(d);
    }
  }

 private:
  void enter_batch(std::int64_t number, std::int64_t batch) {
    rows_ = {batch * blocks_.rows, std::min((batch + 1) * blocks_.rows, p_.out.h)};
    const std::int64_t stretch = number % blocks_.stretches;
    number /= blocks_.stretches;
    const std::int64_t per_image = blocks_.groups / p_.n;
    n_ = number / per_image;
    c_ = number % per_image * blocks_.channels;
    channels_ = std::min(blocks_.channels, p_.c - c_);
    if (stretch != stretch_) enter_stretch(stretch);
    row_length_ = windows_.size() * channels_;
    if (blocks_.bands) bands_.enter_batch(self(0, 0, 0), rows_);
    std::fill(scratch_.slices.begin(), scratch_.slices.end(), -1);
  }

  void enter_stretch(std::int64_t stretch) {
    stretch_ = stretch;
    windows_ = {stretch * blocks_.windows, std::min((stretch + 1) * blocks_.windows, p_.out.w)};
    if (blocks_.way != Way::kByRows) return;
    without_tap_.clear();
    for (std::int64_t o = windows_.begin; o < windows_.end; ++o) {
      const Span taps = axes_.w.taps(o);
      const std::int64_t first = taps.begin * axes_.w.dilation;
      scratch_.first[static_cast<std::size_t>(o - windows_.begin)] = static_cast<std::int32_t>(first);
      if (taps.size() == 0) without_tap_.push_back(o - windows_.begin);
    }
    const std::int64_t start = axes_.w.start(windows_.begin);
    const std::int64_t end = axes_.w.start(windows_.end - 1) + axes_.w.extent;
    columns_ = {
        windows_.size(),      p_.kernel.w, p_.stride.w, p_.dilation.w, static_cast<std::int32_t>(start),
        scratch_.first.data()};
    cells_ = {std::clamp<std::int64_t>(start, 0, p_.in.w), std::clamp<std::int64_t>(end, 0, p_.in.w)};
    std::fill(scratch_.input.begin(), scratch_.input.end(), kNothing);
    // The cells begin where a vector does, whatever the padding in front of them.
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
    const std::int64_t padding = cells_.begin - start;
    input_ = scratch_.input.data() + (padding + lanes - 1) / lanes * lanes;
    first_tap_ = input_ - padding;
    if (blocks_.bands) bands_.enter_stretch(windows_, cells_);
  }

  void fill_block(std::int64_t d) {
    const Alarm alarm = fill_at_once(d);
    if (alarm.care) {
      fill_from_floats(d);
    } else if (alarm.negative_zeros) {
      restore([&](std::int64_t i) { return to_float(values()[i]) == 0; });
    }
    write(p_.values, values_writer_, values(), d);
    write(p_.indices, indices_writer_, positions(), d);
  }

  // The ways that know neither NaNs nor what few windows have.
  Alarm fill_at_once(std::int64_t d) {
    if (blocks_.bands) return bands_.fill(d, values(), positions());
#if HWY_TARGET != HWY_SCALAR
    if constexpr (sizeof(T) == 2) {
      if (blocks_.half_channels) return fill_half_channels(d);
    }
#endif
    return {.care = true};
  }

  // Of a block, row after row.
  T* values() {
    if constexpr (sizeof(T) == 4)
      return scratch_.values.data();
    else
      return values_;
  }
  Index* positions() {
    if constexpr (sizeof(Index) == 4)
      return scratch_.positions.data();
    else
      return indices_;
  }

  void fill_from_floats(std::int64_t d) {
    bool nans = false;
    if (blocks_.way == Way::kByRows) {
      nans = fill_by_rows(d);
    } else {
      for (std::int64_t h = rows_.begin; h < rows_.end; ++h) nans = fill_by_taps(d, h) || nans;
    }
    const std::int64_t count = rows_.size() * row_length_;
    if constexpr (sizeof(Index) == 8) std::copy_n(scratch_.positions.data(), count, indices_);
    if constexpr (sizeof(T) == 2) {
      narrow_values(scratch_.values.data(), count, values_);
      if (nans)
        restore([&](std::int64_t i) { return std::isnan(scratch_.values[static_cast<std::size_t>(i)]); });
    }
  }

  const T* self(std::int64_t d, std::int64_t h, std::int64_t w) const {
    return static_cast<const T*>(p_.self.data) + n_ * p_.self.n + c_ * p_.self.c + d * p_.self.d +
           h * p_.self.h + w * p_.self.w;
  }
  Best row_of_block(std::int64_t h) const {
    const std::int64_t at = (h - rows_.begin) * row_length_;
    return {scratch_.values.data() + at, scratch_.positions.data() + at};
  }
  Best row_in(FloatRows& memory, std::int64_t row) const {
    float* values = memory.data() + row * 2 * blocks_.pitch;
    return {values, reinterpret_cast<std::int32_t*>(values + blocks_.pitch)};
  }
  static void fill_with_nothing(const Best& best, std::int64_t count) {
    std::fill_n(best.values, count, kNothing);
    std::fill_n(best.positions, count, -1);
  }

  // The rows that windows in row h of slice d look at.
  void find_sources(std::int64_t d, std::int64_t h) {
    sources_.clear();
    taps_.clear();
    const Span taps_d = axes_.d.taps(d);
    const Span taps_h = axes_.h.taps(h);
    for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
      const std::int64_t z = axes_.d.start(d) + i * axes_.d.dilation;
      for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j) {
        const std::int64_t y = axes_.h.start(h) + j * axes_.h.dilation;
        sources_.push_back({self(z, y, 0), static_cast<std::int32_t>((z * p_.in.h + y) * p_.in.w)});
      }
    }
  }
  // Of those rows, the taps of window o. Most windows have theirs as their neighbours have them.
  Taps<T> find_taps(std::int64_t o) {
    const Span taps = axes_.w.taps(o);
    const std::int64_t start = axes_.w.start(o);
    if (taps_.empty() || taps != taps_along_w_) {
      taps_.clear();
      taps_along_w_ = taps;
      taps_start_ = start;
      for (const Source<T>& row : sources_) {
        for (std::int64_t k = taps.begin; k < taps.end; ++k) {
          const std::int64_t w = start + k * axes_.w.dilation;
          taps_.push_back({row.from + w * p_.self.w, row.position + static_cast<std::int32_t>(w)});
        }
      }
    }
    return {taps_.data(), static_cast<std::int64_t>(taps_.size()), move_along_w(start - taps_start_)};
  }
  Move move_along_w(std::int64_t cells) const {
    return {cells * p_.self.w, static_cast<std::int32_t>(cells)};
  }

  bool fill_by_taps(std::int64_t d, std::int64_t h) {
    find_sources(d, h);
    const Best best = row_of_block(h);
    if (sources_.empty()) return fill_with_nothing(best, row_length_), false;
    if (blocks_.way == Way::kByChannels) return fill_channels(best);
    const auto row_count = static_cast<std::int64_t>(sources_.size());
    const std::int64_t start = axes_.w.start(windows_.begin);
    for (Source<T>& row : sources_) row = {row.from + start, row.position + static_cast<std::int32_t>(start)};
    if (!pool_pairs<false>(sources_.data(), row_count, windows_.size(), ahead_, best)) return false;
    return pool_pairs<true>(sources_.data(), row_count, windows_.size(), ahead_, best);
  }

  bool fill_channels(Best best) {
    bool nans = false;
    for (std::int64_t o = windows_.begin; o < windows_.end; ++o) {
      const Taps<T> taps = find_taps(o);
      if (taps.count == 0) {
        fill_with_nothing(best, channels_);
      } else if (pool_channels<false>(Floats(), taps, channels_, best)) {
        nans = true;
        pool_channels<true>(Floats(), taps, channels_, best);
      }
      best = {best.values + channels_, best.positions + channels_};
    }
    return nans;
  }

#if HWY_TARGET != HWY_SCALAR
  Alarm fill_half_channels(std::int64_t d) {
    Alarm alarm;
    std::int64_t at = 0;
    for (std::int64_t h = rows_.begin; h < rows_.end; ++h) {
      find_sources(d, h);
      for (std::int64_t o = windows_.begin; o < windows_.end;) {
        const Taps<T> taps = find_taps(o);
        if (taps.count == 0) return {.care = true};
        const std::int64_t first = o++;
        while (o < windows_.end && axes_.w.taps(o) == taps_along_w_) ++o;
        alarm |= pool_few_half_channels(Halves(), taps, move_along_w(p_.stride.w), o - first, channels_,
                                        values() + at, positions() + at);
        at += (o - first) * channels_;
      }
    }
    return alarm;
  }
#endif

  bool fill_by_rows(std::int64_t d) {
    const Span taps = axes_.d.taps(d);
    const auto slice_of = [&](std::int64_t i) { return axes_.d.start(d) + i * axes_.d.dilation; };
    bool nans = false;
    if (taps.size() == 0) {
      fill_with_nothing(row_of_block(rows_.begin), rows_.size() * row_length_);
    } else if (blocks_.slots == 0) {
      nans = reduce_slice(slice_of(0), [&](std::int64_t h) { return row_of_block(h); });
    } else {
      for (std::int64_t i = taps.begin; i < taps.end; ++i) nans = keep_slab(slice_of(i)) || nans;
      for (std::int64_t h = rows_.begin; h < rows_.end; ++h) {
        best_.clear();
        for (std::int64_t i = taps.begin; i < taps.end; ++i) best_.push_back(row_of_slab(slice_of(i), h));
        merge_rows(best_.data(), taps.size(), nans, row_length_, row_of_block(h));
      }
    }
    for (const std::int64_t window : without_tap_) {
      for (std::int64_t h = rows_.begin; h < rows_.end; ++h) row_of_block(h).positions[window] = -1;
    }
    return nans;
  }

  Best row_of_slab(std::int64_t slice, std::int64_t h) const {
    return row_in(scratch_.slabs, slice % blocks_.slots * blocks_.rows + h - rows_.begin);
  }

  bool keep_slab(std::int64_t slice) {
    const auto slot = static_cast<std::size_t>(slice % blocks_.slots);
    if (scratch_.slices[slot] != slice) {
      scratch_.nans[slot] = reduce_slice(slice, [&](std::int64_t h) { return row_of_slab(slice, h); });
      scratch_.slices[slot] = slice;
    }
    return scratch_.nans[slot];
  }

  // The best of one input slice: to(h) says where the windows of row h go. True if there may be a NaN.
  template <typename To>
  bool reduce_slice(std::int64_t d, const To& to) {
    bool nans = false;
    std::int64_t next = 0;  // rows before it are reduced, or of no use
    for (std::int64_t h = rows_.begin; h < rows_.end; ++h) {
      const Span taps = axes_.h.taps(h);
      best_.clear();
      for (std::int64_t i = taps.begin; i < taps.end; ++i) {
        const std::int64_t row = axes_.h.start(h) + i * axes_.h.dilation;
        best_.push_back(row_in(scratch_.reduced, row & (blocks_.ring - 1)));
        if (axes_.h.dilation > 1 || row >= next) nans = reduce_row_of_plane(d, row, best_.back()) || nans;
        next = std::max(next, row + 1);
      }
      if (taps.size() == 0) {
        fill_with_nothing(to(h), row_length_);
      } else {
        merge_rows(best_.data(), taps.size(), nans, row_length_, to(h));
      }
    }
    return nans;
  }

  bool reduce_row_of_plane(std::int64_t d, std::int64_t h, const Best& best) {
    const T* from = self(d, h, cells_.begin);
    const bool nans = p_.self.w == 1 ? widen_run(from, input_, cells_.size(), ahead_)
                                     : widen_strided(from, p_.self.w, input_, cells_.size());
    const auto row = static_cast<std::int32_t>((d * p_.in.h + h) * p_.in.w);
    if (nans) {
      reduce_row<true>(columns_, first_tap_, row, best);
    } else {
      reduce_row<false>(columns_, first_tap_, row, best);
    }
    return nans;
  }

  // Some values' own bits come from where they lie: those of windows i of the block with `lost(i)`.
  template <typename Lost>
  void restore(const Lost& lost) {
    for (std::int64_t i = 0; i < rows_.size() * row_length_; ++i) {
      if (!lost(i)) continue;
      const std::int64_t position = positions()[i];
      const std::int64_t row = position / p_.in.w;
      values()[i] = self(row / p_.in.h, row % p_.in.h, position % p_.in.w)[i % channels_ * p_.self.c];
    }
  }

  // The block's rows lie one after the other in `from`.
  template <typename E>
  void write(const View5& view, StreamWriter& writer, const E* from, std::int64_t d) const {
    E* to = static_cast<E*>(view.data) + n_ * view.n + c_ * view.c + d * view.d + rows_.begin * view.h +
            windows_.begin * view.w;
    const bool dense_channels = channels_ == 1 || view.c == 1;
    if (dense_channels && (view.w == channels_ || windows_.size() == 1)) {
      if (view.h == row_length_ || rows_.size() == 1) {
        return writer.write(to, from, rows_.size() * row_length_);
      }
      for (std::int64_t h = 0; h < rows_.size(); ++h) {
        writer.write(to + h * view.h, from + h * row_length_, row_length_);
      }
      return;
    }
    for (std::int64_t h = 0; h < rows_.size(); ++h) {
      for (std::int64_t w = 0; w < windows_.size(); ++w) {
        for (std::int64_t c = 0; c < channels_; ++c) to[h * view.h + w * view.w + c * view.c] = *from++;
      }
    }
  }

  static constexpr std::int64_t kMostLanes = 64;

  const Plan& p_;
  const WindowAxes& axes_;
  const Blocks& blocks_;
  Scratch& scratch_;
  StreamWriter values_writer_;
  StreamWriter indices_writer_;
  const std::int64_t ahead_;
  BandPool<T, Index> bands_;
  alignas(64) T values_[sizeof(T) == 4 ? 1 : Blocks::kMostBlock + kMostLanes];
  alignas(64) Index indices_[sizeof(Index) == 4 ? 1 : Blocks::kMostBlock + kMostLanes];
  std::vector<Best> best_;
  std::vector<Source<T>> sources_;  // rows
  std::vector<Source<T>> taps_;     // of one window
  Span taps_along_w_{};
  std::int64_t taps_start_ = 0;
  std::vector<std::int64_t> without_tap_;

  std::int64_t n_ = 0;
  std::int64_t c_ = 0;
  std::int64_t channels_ = 1;
  std::int64_t stretch_ = -1;
  Span rows_{};     // of windows
  Span windows_{};  // along W
  Span cells_{};    // what those look at, along W
  std::int64_t row_length_ = 0;
  Columns columns_{};
  float* input_ = nullptr;            // where cell cells_.begin goes
  const float* first_tap_ = nullptr;  // of the first window
};

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
