#include <algorithm>
#include <vector>

#include "backend/kernel.h"
#include "ops/kit/cpu/half.h"
#include "ops/kit/cpu/sliding_sums.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool_backward/cpu/box_tasks.h"
#include "ops/max_pool_backward/cpu/geometry.h"
#include "ops/max_pool_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool_backward/cpu/sum_channels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#if HWY_TARGET != HWY_SCALAR
#include "ops/kit/cpu/convert-inl.h"
#include "ops/max_pool_backward/cpu/windows-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_backward::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void sum_planes(const Plan&, const BoxTask&) {}

#else

using Floats = hn::ScalableTag<float>;

// The rows of windows that reach a row of cells, in all channels.
template <typename T, typename Index>
struct Reaching {
  struct Row {
    const Index* indices;
    const T* gradients;
  };
  static constexpr std::int64_t kMostRows = 16;

  Row rows[kMostRows];
  std::int64_t count = 0;
  std::int64_t index_stride;
  std::int64_t gradient_stride;
};

using Halves = hn::Repartition<std::uint16_t, Floats>;

HWY_INLINE hn::Vec<Halves> narrow_two(hn::Vec<Floats> low, hn::Vec<Floats> high, const Float16* /*type*/) {
  using cairn::HWY_NAMESPACE::narrow_to_float16;
  return hn::Combine(Halves(), narrow_to_float16(Floats(), high), narrow_to_float16(Floats(), low));
}
// The NaN of sums has nothing in its lower half, so it stays as it is without care.
HWY_INLINE hn::Vec<Halves> narrow_two(hn::Vec<Floats> low, hn::Vec<Floats> high, const Bfloat16* /*type*/) {
  const Halves d;
  const auto low_bits = hn::BitCast(d, low);
  const auto high_bits = hn::BitCast(d, high);
  const auto kept = hn::ConcatOdd(d, high_bits, low_bits);
  const auto rest = hn::ConcatEven(d, high_bits, low_bits);
  // Half to even: one more where rest + 0x7FFF + (kept is odd) passes 16 bits. The average has that bit.
  const auto half = hn::Or(hn::And(kept, hn::Set(d, std::uint16_t{1})), hn::Set(d, std::uint16_t{0x7FFE}));
  return hn::Add(kept, hn::ShiftRight<15>(hn::AverageRound(rest, half)));
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
    cairn::HWY_NAMESPACE::store_sums(Floats(), sums[0], to);
  } else {
    auto* bits = reinterpret_cast<std::uint16_t*>(to);
    for (std::size_t v = 0; v < kVectors; v += 2) {
      put<kStreams>(d, narrow_two(sums[v], sums[v + 1], to), bits + v / 2 * hn::Lanes(d));
    }
  }
}

// Some channels of kCells neighbouring cells.
template <std::size_t kCells, std::size_t kVectors, typename T, typename Index>
class CellSums {
 public:
  // The first cell is reached by windows in the columns `first`, the last one in `last`.
  HWY_INLINE CellSums(const Reaching<T, Index>& windows, Span first, Span last, std::int32_t position,
                      std::int64_t channel) {
    const Floats d;
    for (auto& cell : sums_) {
      for (auto& sum : cell) sum = hn::Zero(d);
    }
    for (std::int64_t row = 0; row < windows.count; ++row) {
      const Index* indices = windows.rows[row].indices + channel;
      const T* gradients = windows.rows[row].gradients + channel;
      // A window that reaches both cells is read once.
      if constexpr (kCells == 1) {
        add_windows<0, 1>(windows, indices, gradients, first, position);
      } else {
        add_windows<0, 1>(windows, indices, gradients, {first.begin, std::min(first.end, last.begin)},
                          position);
        add_windows<0, 2>(windows, indices, gradients, {last.begin, first.end}, position);
        add_windows<1, 2>(windows, indices, gradients, {std::max(first.end, last.begin), last.end}, position);
      }
    }
  }

  HWY_INLINE void make_one_nan() {
    for (auto& cell : sums_) {
      for (auto& sum : cell) sum = cairn::HWY_NAMESPACE::with_one_nan(Floats(), sum);
    }
  }

  template <bool kStreams>
  HWY_INLINE void put(T* HWY_RESTRICT to, std::int64_t cell_stride) const {
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      put_sums<kStreams>(sums_[cell], to + static_cast<std::int64_t>(cell) * cell_stride);
    }
  }

 private:
  // To cells [kBegin, kEnd).
  template <std::size_t kBegin, std::size_t kEnd>
  HWY_INLINE void add_windows(const Reaching<T, Index>& windows, const Index* HWY_RESTRICT indices,
                              const T* HWY_RESTRICT gradients, Span columns, std::int32_t position) {
    const Floats d;
    const std::size_t step = hn::Lanes(d);
    for (std::int64_t ow = columns.begin; ow < columns.end; ++ow) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        const auto index = load_indices(indices + ow * windows.index_stride + v * step);
        const auto gradient =
            cairn::HWY_NAMESPACE::load_float(d, gradients + ow * windows.gradient_stride + v * step);
        for (std::size_t cell = kBegin; cell < kEnd; ++cell) {
          const auto here = hn::Set(Int32s(), position + static_cast<std::int32_t>(cell));
          const auto is_here = hn::RebindMask(d, hn::Eq(index, here));
          // +0.0 changes no sum that began with +0.0.
          sums_[cell][v] = hn::Add(sums_[cell][v], hn::IfThenElseZero(is_here, gradient));
        }
      }
    }
  }

  hn::Vec<Floats> sums_[kCells][kVectors];
};

template <typename T, typename Index>
class ChannelSums {
 public:
  ChannelSums(const Plan& plan, const WindowAxes& axes, bool streaming)
      : p_(plan), axes_(axes), streaming_(streaming), writer_(streaming) {
    windows_.index_stride = plan.indices.w;
    windows_.gradient_stride = plan.grad_output.w;
    whole_lines_ = streaming && writes_whole_lines();
    for (std::int64_t w = 0; w < plan.in.w; ++w) columns_.push_back(axes.w.windows(w));
  }

  // False if an index lies outside its own window.
  bool box(std::int64_t n, const Box& box) {
    const PlaneGroup image{n, 0, p_.c};
    bool clean = true;
    finite_ = true;
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
            const T* gradients = address<const T>(p_.grad_output, image, od, oh);
            if (is_first && oh >= looked_at) clean &= check_row(indices, gradients, od, oh);
            windows_.rows[windows_.count++] = {indices, gradients};
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

  bool check_row(const Index* indices, const T* gradients, std::int64_t od, std::int64_t oh) {
    const RowReach reach(axes_, od, oh);
    bool clean = true;
    bool finite = true;
    for (std::int64_t ow = 0; ow < p_.out.w; ++ow) {
      clean &= all_in_window(axes_, reach, axes_.w.cells(ow), indices + ow * p_.indices.w, p_.c);
    }
    if (p_.grad_output.w == p_.c) {
      finite = all_finite(gradients, p_.out.w * p_.c);
    } else {
      for (std::int64_t ow = 0; ow < p_.out.w; ++ow)
        finite &= all_finite(gradients + ow * p_.grad_output.w, p_.c);
    }
    finite_ &= finite;
    return clean;
  }

  void write_row(std::int64_t position, T* to) {
    std::int64_t w = 0;
    if (whole_lines_ || !streaming_) {
      for (; w + 2 <= p_.in.w; w += 2, to += 2 * p_.grad_input.w) {
        const Cells<2> cells{position + w, column(w), column(w + 1)};
        whole_lines_ ? write_channels<2, true>(cells, 0, p_.c, to)
                     : write_channels<2, false>(cells, 0, p_.c, to);
      }
    }
    for (; w < p_.in.w; ++w, to += p_.grad_input.w) {
      const Cells<1> cell{position + w, column(w), column(w)};
      for (std::int64_t channel = 0; channel < p_.c; channel += kPiece) {
        const std::int64_t end = std::min(channel + kPiece, p_.c);
        write_channels<1, false>(cell, channel, end, writer_.room(to + channel, end - channel));
      }
    }
  }

  Span column(std::int64_t w) const { return columns_[static_cast<std::size_t>(w)]; }

  template <std::size_t kCells>
  struct Cells {
    std::int64_t position;  // of the first
    Span first;             // columns of windows that reach it
    Span last;
  };

  // Whole lines come out even. Else the last vector may sum channels of the one before again.
  template <std::size_t kCells, bool kStreams>
  HWY_INLINE void write_channels(const Cells<kCells>& cells, std::int64_t channel, std::int64_t end,
                                 T* to) const {
    const auto step = static_cast<std::int64_t>(hn::Lanes(Floats()));
    for (; channel + 4 * step <= end; channel += 4 * step, to += 4 * step) {
      write<4, kStreams>(cells, channel, to);
    }
    if (channel + 2 * step <= end) {
      write<2, kStreams>(cells, channel, to);
      channel += 2 * step;
      to += 2 * step;
    }
    for (; channel + step <= end; channel += step, to += step) {
      write<1, kStreams>(cells, channel, to);
    }
    if (channel < end) write<1, false>(cells, end - step, to - (channel + step - end));
  }

  template <std::size_t kVectors, bool kStreams, std::size_t kCells>
  HWY_INLINE void write(const Cells<kCells>& cells, std::int64_t channel, T* to) const {
    CellSums<kCells, kVectors, T, Index> sums(windows_, cells.first, cells.last,
                                              static_cast<std::int32_t>(cells.position), channel);
    if (!finite_) [[unlikely]]
      sums.make_one_nan();
    sums.template put<kStreams>(to, p_.grad_input.w);
  }

  const Plan& p_;
  const WindowAxes& axes_;
  const bool streaming_;
  StreamWriter writer_;
  bool finite_ = true;         // all gradients of the box so far, so that no sum is a NaN
  bool whole_lines_;           // streamed without the writer, which still orders the stores at its end
  std::vector<Span> columns_;  // of windows, for each cell of a row
  Reaching<T, Index> windows_;
};

template <typename T, typename Index>
void sum_images(const Plan& plan, const BoxTask& task) {
  ChannelSums<T, Index> sums(plan, task.axes, task.streaming);
  for_each_box(task, [&](std::int64_t n, const auto& box) HWY_ATTR { return sums.box(n, box); });
}

void sum_planes(const Plan& plan, const BoxTask& task) {
  with_float_and_index_type(plan.type, plan.index_type,
                            [&]<typename T, typename Index>() { sum_images<T, Index>(plan, task); });
}

#endif

}  // namespace cairn::max_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool_backward::sum_channels {

HWY_EXPORT(sum_planes);

const char* why_not(const Plan& p) {
  if (const char* reason = why_not_floats(p)) return reason;
  // More windows than this to a cell are better added one element at a time.
  constexpr std::int64_t kMostWindows = 4;
  const WindowAxes axes(p);
  const auto side_by_side = [](const View5& view) { return view.c == 1 && view.w != 1; };
  const std::int64_t lanes = float_lanes();
  if (lanes == 1) return "this instruction set has no vectors";
  if (!side_by_side(p.grad_output) || !side_by_side(p.indices) || !side_by_side(p.grad_input))
    return "channels do not lie side by side";
  // Fewer channels than two vectors are not worth the walk over the windows either.
  if (p.c < 2 * lanes) return "channels are few";
  if (!have_few_windows(axes, kMostWindows)) return "many windows reach a cell, or some lie in the padding";
  if (!count_in_32_bits(axes)) return "planes have 2^31 cells or more";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  // A box is one of all channels of an image.
  return run_boxes(plan, plan.c, workers, HWY_DYNAMIC_DISPATCH(sum_planes));
}

}  // namespace cairn::max_pool_backward::sum_channels
#endif
