#include "ops/max_pool_backward/cpu_channels.h"

#include <algorithm>
#include <vector>

#include "ops/kernel/half.h"
#include "ops/kernel/stream_writer.h"
#include "ops/max_pool_backward/cpu_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool_backward/cpu_channels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#if HWY_TARGET != HWY_SCALAR
#include "ops/kernel/convert-inl.h"
#include "ops/max_pool_backward/cpu_windows-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_backward::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

std::int64_t channels_at_once() { return 0; }
void sum(const Plan&, const BoxTask&) {}

#else

using Floats = hn::ScalableTag<float>;

std::int64_t channels_at_once() { return static_cast<std::int64_t>(hn::Lanes(Floats())); }

// The windows that reach a cell, in all channels.
template <typename T, typename Index>
struct Reaching {
  struct Row {
    const Index* indices;
    const T* gradients;
  };
  static constexpr std::int64_t kMostRows = 16;

  Row rows[kMostRows];
  std::int64_t count = 0;
  Span columns{0, 0};
  std::int64_t index_stride;
  std::int64_t gradient_stride;
};

using Halves = hn::Repartition<std::uint16_t, Floats>;

HWY_INLINE hn::Vec<Halves> narrow_two(hn::Vec<Floats> low, hn::Vec<Floats> high, const Float16* /*type*/) {
  using cairn::HWY_NAMESPACE::narrow_to_float16;
  return hn::Combine(Halves(), narrow_to_float16(Floats(), high), narrow_to_float16(Floats(), low));
}
HWY_INLINE hn::Vec<Halves> narrow_two(hn::Vec<Floats> low, hn::Vec<Floats> high, const Bfloat16* /*type*/) {
  using cairn::HWY_NAMESPACE::round_to_bfloat16;
  const Halves d;
  return hn::ConcatOdd(d, hn::BitCast(d, round_to_bfloat16(Floats(), high)),
                       hn::BitCast(d, round_to_bfloat16(Floats(), low)));
}

template <bool kStreams, class D>
HWY_INLINE void put(D d, hn::Vec<D> v, hn::TFromD<D>* to) {
  kStreams ? hn::Stream(v, d, to) : hn::StoreU(v, d, to);
}

// Streamed sums go past the cache, to whole lines.
template <bool kStreams, std::size_t kVectors>
HWY_INLINE void put_sums(const hn::Vec<Floats> (&sums)[kVectors], float* to) {
  const Floats d;
  for (std::size_t v = 0; v < kVectors; ++v) put<kStreams>(d, sums[v], to + v * hn::Lanes(d));
}
template <bool kStreams, std::size_t kVectors, typename Half>
HWY_INLINE void put_sums(const hn::Vec<Floats> (&sums)[kVectors], Half* to) {
  const Halves d;
  if constexpr (kVectors == 1) {
    cairn::HWY_NAMESPACE::store_float(Floats(), sums[0], to);
  } else {
    auto* bits = reinterpret_cast<std::uint16_t*>(to);
    for (std::size_t v = 0; v < kVectors; v += 2) {
      put<kStreams>(d, narrow_two(sums[v], sums[v + 1], to), bits + v / 2 * hn::Lanes(d));
    }
  }
}

template <std::size_t kVectors, bool kStreams, typename T, typename Index>
HWY_INLINE void sum_vectors(const Reaching<T, Index>& windows, std::int32_t position, std::int64_t channel,
                            T* HWY_RESTRICT to) {
  const Floats d;
  const std::size_t step = hn::Lanes(d);
  const auto here = hn::Set(Int32s(), position);
  hn::Vec<Floats> sums[kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::int64_t row = 0; row < windows.count; ++row) {
    for (std::int64_t ow = windows.columns.begin; ow < windows.columns.end; ++ow) {
      const Index* indices = windows.rows[row].indices + ow * windows.index_stride + channel;
      const T* gradients = windows.rows[row].gradients + ow * windows.gradient_stride + channel;
      for (std::size_t v = 0; v < kVectors; ++v) {
        const auto is_here = hn::RebindMask(d, hn::Eq(load_indices(indices + v * step), here));
        const auto gradient = cairn::HWY_NAMESPACE::load_float(d, gradients + v * step);
        // +0.0 changes no sum that began with +0.0.
        sums[v] = hn::Add(sums[v], hn::IfThenElseZero(is_here, gradient));
      }
    }
  }
  put_sums<kStreams>(sums, to);
}

template <typename T, typename Index>
class ChannelSums {
 public:
  ChannelSums(const Plan& plan, const Axes& axes, bool streaming)
      : p_(plan), axes_(axes), writer_(streaming) {
    windows_.index_stride = plan.indices.w;
    windows_.gradient_stride = plan.grad_output.w;
    whole_lines_ = streaming && writes_whole_lines();
    for (std::int64_t w = 0; w < plan.in.w; ++w) columns_.push_back(axes.w.windows(w));
  }

  // False if an index lies outside its own window.
  bool box(std::int64_t n, const Box& box) {
    const PlaneGroup image{n, 0, p_.c};
    bool clean = true;
    for (std::int64_t d = box.d.begin; d < box.d.end; ++d) {
      const Span slices = axes_.d.windows(d);
      std::int64_t looked_at = 0;
      for (std::int64_t h = box.h.begin; h < box.h.end; ++h) {
        const Span rows = axes_.h.windows(h);
        windows_.count = 0;
        for (std::int64_t od = slices.begin; od < slices.end; ++od) {
          const bool is_first = d == std::max(axes_.d.cells(od).begin, box.d.begin);
          for (std::int64_t oh = rows.begin; oh < rows.end; ++oh) {
            const Index* indices = address<const Index>(p_.indices, image, od, oh);
            if (is_first && oh >= looked_at) clean &= check_row(indices, od, oh);
            windows_.rows[windows_.count++] = {indices, address<const T>(p_.grad_output, image, od, oh)};
          }
        }
        looked_at = std::max(looked_at, rows.end);
        write_row((d * p_.in.h + h) * p_.in.w, address<T>(p_.grad_input, image, d, h));
      }
    }
    return clean;
  }

 private:
  static constexpr std::int64_t kPiece = StreamWriter::kRoom / sizeof(float);

  // Each cell's channels fill cache lines of their own.
  bool writes_whole_lines() const {
    const View5& out = p_.grad_input;
    const auto steps = static_cast<std::uint64_t>(out.n | out.d | out.h | out.w | p_.c) * sizeof(T);
    return (steps | reinterpret_cast<std::uintptr_t>(out.data)) % 64 == 0;
  }

  bool check_row(const Index* indices, std::int64_t od, std::int64_t oh) const {
    const RowReach reach(axes_, od, oh);
    bool clean = true;
    for (std::int64_t ow = 0; ow < p_.out.w; ++ow) {
      clean &= all_in_window(axes_, reach, axes_.w.cells(ow), indices + ow * p_.indices.w, p_.c);
    }
    return clean;
  }

  void write_row(std::int64_t position, T* to) {
    for (std::int64_t w = 0; w < p_.in.w; ++w, to += p_.grad_input.w) {
      windows_.columns = columns_[static_cast<std::size_t>(w)];
      if (whole_lines_) {
        write_channels<true>(static_cast<std::int32_t>(position + w), 0, p_.c, to);
        continue;
      }
      for (std::int64_t channel = 0; channel < p_.c; channel += kPiece) {
        const std::int64_t end = std::min(channel + kPiece, p_.c);
        write_channels<false>(static_cast<std::int32_t>(position + w), channel, end,
                              writer_.room(to + channel, end - channel));
      }
    }
  }

  // Whole lines come out even. Else the last vector may sum channels of the one before again.
  template <bool kStreams>
  void write_channels(std::int32_t position, std::int64_t channel, std::int64_t end, T* to) const {
    const auto step = static_cast<std::int64_t>(hn::Lanes(Floats()));
    for (; channel + 4 * step <= end; channel += 4 * step, to += 4 * step) {
      sum_vectors<4, kStreams>(windows_, position, channel, to);
    }
    if (channel + 2 * step <= end) {
      sum_vectors<2, kStreams>(windows_, position, channel, to);
      channel += 2 * step;
      to += 2 * step;
    }
    for (; channel + step <= end; channel += step, to += step) {
      sum_vectors<1, kStreams>(windows_, position, channel, to);
    }
    if (channel < end) sum_vectors<1, false>(windows_, position, end - step, to - (channel + step - end));
  }

  const Plan& p_;
  const Axes& axes_;
  StreamWriter writer_;
  bool whole_lines_;           // streamed without the writer, which still orders the stores at its end
  std::vector<Span> columns_;  // of windows, for each cell of a row
  Reaching<T, Index> windows_;
};

template <typename T, typename Index>
void sum_with(const Plan& plan, const BoxTask& task) {
  ChannelSums<T, Index> sums(plan, task.axes, task.streaming);
  for (std::int64_t i = task.begin; i < task.end; ++i) {
    const std::int64_t n = i / task.boxes.count();
    if (!sums.box(n, task.boxes[i % task.boxes.count()]))
      task.strays[n].store(true, std::memory_order_relaxed);
  }
}

template <typename T>
void sum_typed(const Plan& plan, const BoxTask& task) {
  plan.index_type == DataType::kInt32 ? sum_with<T, std::int32_t>(plan, task)
                                      : sum_with<T, std::int64_t>(plan, task);
}

void sum(const Plan& plan, const BoxTask& task) {
  switch (plan.type) {
    case DataType::kFloat16:
      return sum_typed<Float16>(plan, task);
    case DataType::kBf16:
      return sum_typed<Bfloat16>(plan, task);
    default:
      return sum_typed<float>(plan, task);
  }
}

#endif

}  // namespace cairn::max_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool_backward {
namespace {

HWY_EXPORT(channels_at_once);
HWY_EXPORT(sum);

}  // namespace

bool channels_can_be_summed(const Plan& p, const Axes& axes) {
  // More windows than this to a cell are better added one element at a time.
  constexpr std::int64_t kMostWindows = 4;
  const auto side_by_side = [](const View5& view) { return view.c == 1 && view.w != 1; };
  // Fewer channels than two vectors are not worth the walk over the windows either.
  const std::int64_t lanes = HWY_DYNAMIC_DISPATCH(channels_at_once)();
  return lanes > 0 && p.c >= 2 * lanes && side_by_side(p.grad_output) && side_by_side(p.indices) &&
         side_by_side(p.grad_input) && axes.have_few_windows(kMostWindows) && axes.count_in_32_bits();
}

void sum_channels(const Plan& plan, const BoxTask& task) { HWY_DYNAMIC_DISPATCH(sum)(plan, task); }

}  // namespace cairn::max_pool_backward
#endif
