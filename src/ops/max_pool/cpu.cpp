#include "ops/max_pool/cpu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/kernel/split.h"
#include "ops/kernel/stream_writer.h"
#include "ops/max_pool/cpu_anywhere.h"
#include "ops/max_pool/cpu_blocks.h"
#include "ops/max_pool/cpu_scratch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool/cpu_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

constexpr float kNothing = -std::numeric_limits<float>::infinity();

// Computes blocks, one after the other.
template <typename T, typename Index>
class Pool {
 public:
  Pool(const Plan& plan, const Axes& axes, const Blocks& blocks, Scratch& scratch, bool streaming)
      : p_(plan),
        axes_(axes),
        blocks_(blocks),
        scratch_(scratch),
        values_writer_(streaming),
        indices_writer_(streaming) {
    scratch.make_room(plan, axes, blocks, static_cast<std::int64_t>(hn::Lanes(Floats())));
    values_.resize(kOutput);
    indices_.resize(kOutput);
  }

  // Blocks [begin, end), counted over groups of channels, stretches, batches and D.
  void run(std::int64_t begin, std::int64_t end) {
    std::int64_t d = begin % p_.out.d;
    std::int64_t rest = begin / p_.out.d;
    for (std::int64_t i = begin; i < end; ++rest, d = 0) {
      enter_batch(rest);
      for (; d < p_.out.d && i < end; ++d, ++i) fill_block(d);
    }
  }

 private:
  static constexpr std::int64_t kMostLanes = 64;
  static constexpr auto kOutput =
      static_cast<std::size_t>(std::max(Blocks::kMostRow, Blocks::kMostBlock) + kMostLanes);

  void enter_batch(std::int64_t number) {
    rows_.begin = number % blocks_.batches * blocks_.rows;
    rows_.end = std::min(rows_.begin + blocks_.rows, p_.out.h);
    number /= blocks_.batches;
    const std::int64_t stretch = number % blocks_.stretches;
    number /= blocks_.stretches;
    const std::int64_t per_image = blocks_.groups / p_.n;
    n_ = number / per_image;
    c_ = number % per_image * blocks_.channels;
    const std::int64_t channels = std::min(blocks_.channels, p_.c - c_);
    if (stretch != stretch_ || channels != columns_.channels) enter_stretch(stretch, channels);
    first_row_ = std::max<std::int64_t>(axes_.h.start(rows_.begin), 0);
    std::fill(scratch_.slices.begin(), scratch_.slices.end(), -1);
  }

  void enter_stretch(std::int64_t stretch, std::int64_t channels) {
    stretch_ = stretch;
    windows_ = {stretch * blocks_.windows, std::min((stretch + 1) * blocks_.windows, p_.out.w)};
    without_tap_.clear();
    for (std::int64_t o = windows_.begin; o < windows_.end; ++o) {
      const Span taps = axes_.w.taps(o);
      const std::int64_t first = axes_.w.start(o) + taps.begin * axes_.w.dilation;
      scratch_.first[static_cast<std::size_t>(o - windows_.begin)] = static_cast<std::int32_t>(first);
      if (taps.size() == 0) without_tap_.push_back(o - windows_.begin);
    }
    const std::int64_t start = axes_.w.start(windows_.begin);
    columns_ = {windows_.size(),      channels,      p_.kernel.w,
                p_.stride.w,          p_.dilation.w, static_cast<std::int32_t>(start),
                scratch_.first.data()};
    const std::int64_t end = axes_.w.start(windows_.end - 1) + axes_.w.extent();
    cells_ = {std::clamp<std::int64_t>(start, 0, p_.in.w), std::clamp<std::int64_t>(end, 0, p_.in.w)};
    row_length_ = windows_.size() * channels;
    std::fill(scratch_.input.begin(), scratch_.input.end(), kNothing);
    input_ = scratch_.input.data() + (cells_.begin - start) * channels;
  }

  const T* self(std::int64_t d, std::int64_t h, std::int64_t w) const {
    return static_cast<const T*>(p_.self.data) + n_ * p_.self.n + c_ * p_.self.c + d * p_.self.d +
           h * p_.self.h + w * p_.self.w;
  }

  Best best_of(std::int64_t d, std::int64_t h) const {
    float* row = scratch_.reduced.data() +
                 (d % blocks_.slots * blocks_.slot_rows + h - first_row_) * 2 * blocks_.pitch;
    return {row, reinterpret_cast<std::int32_t*>(row + blocks_.pitch)};
  }

  void fill_block(std::int64_t d) {
    const Span taps_d = axes_.d.taps(d);
    bool nans = false;
    for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
      const std::int64_t slice = axes_.d.start(d) + i * axes_.d.dilation;
      nans = reduce_slice(slice) || nans;
    }
    for (std::int64_t h = rows_.begin; h < rows_.end; ++h) {
      const Span taps_h = axes_.h.taps(h);
      best_.clear();
      for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
        for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j) {
          best_.push_back(
              best_of(axes_.d.start(d) + i * axes_.d.dilation, axes_.h.start(h) + j * axes_.h.dilation));
        }
      }
      fill_row((h - rows_.begin) * row_length_, nans);
    }
    if (nans) restore_nans();
    write(p_.values, values_writer_, values_.data(), d);
    write(p_.indices, indices_writer_, indices_.data(), d);
  }

  void fill_row(std::int64_t at, bool nans) {
    T* values = values_.data() + at;
    Index* indices = indices_.data() + at;
    const auto count = static_cast<std::int64_t>(best_.size());
    if (count == 0) {
      std::fill_n(values, row_length_, from_float<T>(kNothing));
      std::fill_n(indices, row_length_, Index{-1});
    } else if (nans) {
      merge_rows<true>(best_.data(), count, row_length_, values, indices);
    } else {
      merge_rows<false>(best_.data(), count, row_length_, values, indices);
    }
    for (const std::int64_t window : without_tap_) {
      std::fill_n(indices + window * columns_.channels, columns_.channels, Index{-1});
    }
  }

  // True if there is a NaN among what this block's windows may look at.
  bool reduce_slice(std::int64_t d) {
    const auto slot = static_cast<std::size_t>(d % blocks_.slots);
    if (scratch_.slices[slot] == d) return scratch_.nans[slot];
    bool nans = false;
    if (p_.stride.h >= axes_.h.extent()) {
      for (std::int64_t o = rows_.begin; o < rows_.end; ++o) {
        const Span taps = axes_.h.taps(o);
        for (std::int64_t i = taps.begin; i < taps.end; ++i) {
          nans = reduce_row_of_plane(d, axes_.h.start(o) + i * axes_.h.dilation) || nans;
        }
      }
    } else {
      const std::int64_t end = std::min(axes_.h.start(rows_.end - 1) + axes_.h.extent(), p_.in.h);
      for (std::int64_t h = first_row_; h < end; ++h) nans = reduce_row_of_plane(d, h) || nans;
    }
    scratch_.slices[slot] = d;
    scratch_.nans[slot] = nans;
    return nans;
  }

  bool reduce_row_of_plane(std::int64_t d, std::int64_t h) {
    const bool nans = load_row(self(d, h, cells_.begin));
    const auto row = static_cast<std::int32_t>((d * p_.in.h + h) * p_.in.w);
    const Best best = best_of(d, h);
    if (nans) {
      reduce_row<true>(columns_, scratch_.input.data(), row, best);
    } else {
      reduce_row<false>(columns_, scratch_.input.data(), row, best);
    }
    return nans;
  }

  bool load_row(const T* from) {
    const std::int64_t channels = columns_.channels;
    if (channels == 1) {
      return p_.self.w == 1 ? widen_run(from, input_, cells_.size())
                            : widen_strided(from, p_.self.w, input_, cells_.size());
    }
    if (p_.self.w == channels) return widen_run(from, input_, cells_.size() * channels);
    bool nans = false;
    for (std::int64_t i = 0; i < cells_.size(); ++i) {
      nans = widen_run(from + i * p_.self.w, input_ + i * channels, channels) || nans;
    }
    return nans;
  }

  // A NaN's own bits come from where it lies.
  void restore_nans() {
    const std::int64_t channels = columns_.channels;
    for (std::int64_t i = 0; i < rows_.size() * row_length_; ++i) {
      T& value = values_[static_cast<std::size_t>(i)];
      if (!std::isnan(to_float(value))) continue;
      const auto position = static_cast<std::int64_t>(indices_[static_cast<std::size_t>(i)]);
      const std::int64_t row = position / p_.in.w;
      value = self(row / p_.in.h, row % p_.in.h, position % p_.in.w)[i % channels * p_.self.c];
    }
  }

  // The block's rows lie one after the other in `from`.
  template <typename E>
  void write(const View5& view, StreamWriter& writer, const E* from, std::int64_t d) const {
    E* to = static_cast<E*>(view.data) + n_ * view.n + c_ * view.c + d * view.d + rows_.begin * view.h +
            windows_.begin * view.w;
    const std::int64_t channels = columns_.channels;
    const bool dense_channels = channels == 1 || view.c == 1;
    if (dense_channels && (view.w == channels || windows_.size() == 1)) {
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
        for (std::int64_t c = 0; c < channels; ++c) to[h * view.h + w * view.w + c * view.c] = *from++;
      }
    }
  }

  const Plan& p_;
  const Axes& axes_;
  const Blocks& blocks_;
  Scratch& scratch_;
  StreamWriter values_writer_;
  StreamWriter indices_writer_;
  std::vector<T> values_;
  std::vector<Index> indices_;
  std::vector<Best> best_;
  std::vector<std::int64_t> without_tap_;

  std::int64_t n_ = 0;
  std::int64_t c_ = 0;
  std::int64_t stretch_ = -1;
  Span rows_{};     // of windows
  Span windows_{};  // along W
  Span cells_{};    // what those look at, along W
  std::int64_t first_row_ = 0;
  std::int64_t row_length_ = 0;
  Columns columns_{};
  float* input_ = nullptr;  // where cell cells_.begin goes
};

template <typename T, typename Index>
HWY_ATTR void run_blocks(const Plan& plan, Workers& workers) {
  const Axes axes(plan);
  const Blocks blocks(plan, axes, workers.count(), static_cast<std::int64_t>(hn::Lanes(Floats())));
  if (!blocks.possible) return CellByCell<T, Index>(plan).run(workers);
  const std::int64_t planes = plan.n * plan.c;
  const bool streaming =
      streams_past_cache(planes * (plan.in.count() * static_cast<std::int64_t>(sizeof(T)) +
                                   plan.out.count() * static_cast<std::int64_t>(sizeof(T) + sizeof(Index))));
  constexpr std::int64_t kGrain = 16384;
  const std::int64_t elements = blocks.rows * blocks.windows * blocks.channels;
  for_each_range(workers, blocks.count(plan), std::max<std::int64_t>(kGrain / elements, 1), 1,
                 [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
                   Pool<T, Index>(plan, axes, blocks, scratch_of_thread(), streaming).run(begin, end);
                 });
}

template <typename T>
HWY_ATTR void run_typed(const Plan& plan, Workers& workers) {
  if (plan.index_type == DataType::kInt32) {
    run_blocks<T, std::int32_t>(plan, workers);
  } else {
    run_blocks<T, std::int64_t>(plan, workers);
  }
}

HWY_ATTR void run_pool(const Plan& plan, Workers& workers) {
  if (plan.type == DataType::kFloat) return run_typed<float>(plan, workers);
  if (plan.type == DataType::kFloat16) return run_typed<Float16>(plan, workers);
  return run_typed<Bfloat16>(plan, workers);
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool {

HWY_EXPORT(run_pool);

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.out.count() > 0) HWY_DYNAMIC_DISPATCH(run_pool)(plan, workers);
  return std::nullopt;
}

}  // namespace cairn::max_pool
#endif
