#include <algorithm>
#include <cstring>
#include <type_traits>

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
#define HWY_TARGET_INCLUDE "ops/max_pool_backward/cpu/place_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#if HWY_TARGET != HWY_SCALAR
#include "ops/kit/cpu/convert-inl.h"
#include "ops/max_pool_backward/cpu/windows-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_backward::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void place(const Plan&, const BoxTask&) {}

#else

using Floats = hn::ScalableTag<float>;

namespace {

// 2 * Lanes(d) elements, those of `even` and of `odd` by turns.
template <class D, typename T>
HWY_INLINE void store_pairs(D d, hn::Vec<D> even, hn::Vec<D> odd, T* HWY_RESTRICT to) {
#if HWY_TARGET <= HWY_AVX3
  if constexpr (sizeof(T) == 4) {
    const auto low =
        hn::Vec<Int32s>{_mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)};
    const auto high = hn::Add(low, hn::Set(Int32s(), 8));
    hn::StoreU(hn::Vec<D>{_mm512_permutex2var_ps(even.raw, low.raw, odd.raw)}, d, to);
    hn::StoreU(hn::Vec<D>{_mm512_permutex2var_ps(even.raw, high.raw, odd.raw)}, d, to + hn::Lanes(d));
    return;
  } else if constexpr (hn::MaxLanes(D()) == 32) {
    const hn::Repartition<std::uint32_t, D> d32;
    // In each 32 bits the places of one pair: lane i of even, then lane i of odd, which follow even's 32.
    const auto low = hn::Iota(d32, 0);
    const auto places = hn::Or(low, hn::ShiftLeft<16>(hn::Add(low, hn::Set(d32, 32))));
    const auto later = hn::Add(places, hn::Set(d32, 0x00100010u));
    hn::StoreU(hn::Vec<D>{_mm512_permutex2var_epi16(even.raw, places.raw, odd.raw)}, d, to);
    hn::StoreU(hn::Vec<D>{_mm512_permutex2var_epi16(even.raw, later.raw, odd.raw)}, d, to + hn::Lanes(d));
    return;
  }
#endif
  hn::StoreInterleaved2(even, odd, d, to);
}

// Two cells for each of neighbouring windows, in kRows rows of cells that lie `width` apart. The first cell
// has flat position `position`.
template <int kRows, typename Index>
HWY_INLINE void place_pairs(const Index* indices, const float* gradients, std::int64_t position,
                            std::int64_t width, float* to) {
  const Floats d;
  const Int32s di;
  const auto here = hn::Iota(di, 0);
  const auto index = load_indices(indices);
  const auto gradient = cairn::HWY_NAMESPACE::sums_of_one(d, hn::LoadU(d, gradients));
  for (int row = 0; row < kRows; ++row) {
    const auto first = hn::Set(di, static_cast<std::int32_t>(position + row * width));
    const auto even = hn::Add(hn::Add(here, here), first);
    const auto at_even = hn::RebindMask(d, hn::Eq(index, even));
    const auto at_odd = hn::RebindMask(d, hn::Eq(index, hn::Add(even, hn::Set(di, 1))));
    store_pairs(d, hn::IfThenElseZero(at_even, gradient), hn::IfThenElseZero(at_odd, gradient),
                to + row * width);
  }
}
// Halves stay as they are, and so small an element is told apart by 16 bits of the index.
template <int kRows, typename Index, typename Half>
HWY_INLINE void place_pairs(const Index* indices, const Half* gradients, std::int64_t position,
                            std::int64_t width, Half* to) {
  const hn::ScalableTag<std::uint16_t> d;
  const auto here = hn::Iota(d, 0);
  const auto index = hn::ConcatEven(d, hn::BitCast(d, load_indices(indices + hn::Lanes(Int32s()))),
                                    hn::BitCast(d, load_indices(indices)));
  auto gradient = hn::LoadU(d, reinterpret_cast<const std::uint16_t*>(gradients));
  gradient = hn::IfThenZeroElse(hn::Eq(gradient, hn::Set(d, 0x8000u)), gradient);
  gradient = cairn::HWY_NAMESPACE::with_one_nan_of<Half>(d, gradient);
  for (int row = 0; row < kRows; ++row) {
    const auto first = hn::Set(d, static_cast<std::uint16_t>(position + row * width));
    const auto even = hn::Add(hn::Add(here, here), first);
    const auto at_even = hn::Eq(index, even);
    const auto at_odd = hn::Eq(index, hn::Add(even, hn::Set(d, 1)));
    store_pairs(d, hn::IfThenElseZero(at_even, gradient), hn::IfThenElseZero(at_odd, gradient),
                reinterpret_cast<std::uint16_t*>(to + row * width));
  }
}

// As many as a vector takes of T.
template <typename T>
using Elements = hn::ScalableTag<std::conditional_t<std::is_same_v<T, float>, float, std::uint16_t> >;

template <typename T>
constexpr std::size_t most_windows() {
  return hn::MaxLanes(Elements<T>());
}

// What is left of a row, less than a vector or past the last window.
template <int kRows, typename Index, typename T>
HWY_NOINLINE void place_rest(const Index* indices, const T* gradients, std::int64_t windows,
                             std::int64_t position, std::int64_t width, std::int64_t cells, T* to) {
  constexpr auto kMost = static_cast<std::int64_t>(most_windows<T>());
  Index some_indices[kMost];
  T some_gradients[kMost] = {};
  T pairs[kRows][2 * kMost];
  std::fill_n(some_indices, kMost, Index{-1});
  windows = std::clamp<std::int64_t>(windows, 0, kMost);
  std::copy_n(indices, windows, some_indices);
  std::copy_n(gradients, windows, some_gradients);
  for (int row = 0; row < kRows; ++row) {
    place_pairs<1>(some_indices, some_gradients, position + row * width, 0, pairs[row]);
    std::memcpy(to + row * width, pairs[row], static_cast<std::size_t>(cells) * sizeof(T));
  }
}

// Cells [begin, end), begin even, of rows that only this row of windows, `count` long, reaches.
template <int kRows, typename Index, typename T>
HWY_INLINE void place_cells(const Index* indices, const T* gradients, std::int64_t count,
                            std::int64_t position, std::int64_t width, std::int64_t begin, std::int64_t end,
                            T* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Elements<T>()));
  const std::int64_t full = std::min(end / 2, count);
  std::int64_t window = begin / 2;
  for (; window + lanes <= full; window += lanes, to += 2 * lanes) {
    place_pairs<kRows>(indices + window, gradients + window, position + 2 * window, width, to);
  }
  if (2 * window == end) return;
  if (2 * full == end && full - begin / 2 >= lanes) {
    const std::int64_t last = full - lanes;
    place_pairs<kRows>(indices + last, gradients + last, position + 2 * last, width,
                       to - 2 * (window - last));
    return;
  }
  for (; 2 * window < end; window += lanes, to += 2 * lanes) {
    place_rest<kRows>(indices + window, gradients + window, count - window, position + 2 * window, width,
                      std::min(end - 2 * window, 2 * lanes), to);
  }
}

// The windows along one axis, none of which shares a cell with another: which reaches a cell, cell after
// cell.
class WindowOfCell {
 public:
  WindowOfCell(const WindowAxis& axis, std::int64_t cell)
      : axis_(axis), cell_(cell), window_((cell + axis.padding) / axis.stride) {}

  // -1: none.
  std::int64_t get() const {
    return window_ < axis_.out && cell_ < axis_.start(window_) + axis_.extent ? window_ : -1;
  }
  void next() {
    if (++cell_ == axis_.start(window_ + 1)) ++window_;
  }

 private:
  const WindowAxis& axis_;
  std::int64_t cell_;
  std::int64_t window_;
};

template <typename T, typename Index>
class RowPlacer {
 public:
  RowPlacer(const Plan& plan, const WindowAxes& axes, bool streaming)
      : writer_(streaming),
        p_(plan),
        axes_(axes),
        members_(axes),
        two_at_once_(plan.grad_input.h == plan.in.w && 2 * plan.in.w <= kPiece) {}

  // False if an index lies outside its own window.
  bool box(const PlaneGroup& plane, const Box& box) {
    bool clean = true;
    for (std::int64_t d = box.d.begin; d < box.d.end; ++d) {
      const std::int64_t od = WindowOfCell(axes_.d, d).get();
      const bool is_first = od >= 0 && d == std::max(axes_.d.cells(od).begin, box.d.begin);
      std::int64_t looked_at = -1;
      WindowOfCell row(axes_.h, box.h.begin);
      for (std::int64_t h = box.h.begin; h < box.h.end; ++h) {
        const std::int64_t oh = row.get();
        row.next();
        T* to = address<T>(p_.grad_input, plane, d, h);
        if (od < 0 || oh < 0) {
          write_zeros(to, box.w);
          continue;
        }
        const WindowRow windows{address<const Index>(p_.indices, plane, od, oh),
                                address<const T>(p_.grad_output, plane, od, oh), od, oh,
                                is_first && oh != looked_at};
        looked_at = oh;
        const std::int64_t position = (d * p_.in.h + h) * p_.in.w;
        if (two_at_once_ && h + 1 < box.h.end && row.get() == oh) {
          clean &= !windows.unchecked || members_.row(windows.indices, od, oh);
          place_cells<2>(windows.indices, windows.gradients, p_.out.w, position, p_.in.w, 0, p_.in.w,
                         writer_.room(to, 2 * p_.in.w));
          row.next();
          ++h;
        } else {
          clean &= write_row(windows, position, box.w, to);
        }
      }
    }
    return clean;
  }

 private:
  static constexpr std::int64_t kPiece = StreamWriter::kRoom / sizeof(float);

  struct WindowRow {
    const Index* indices;
    const T* gradients;
    std::int64_t od;
    std::int64_t oh;
    bool unchecked;
  };

  // Cells [span.begin, span.end) of a row, the first of them even.
  bool write_row(const WindowRow& windows, std::int64_t position, Span span, T* to) {
    bool clean = true;
    for (std::int64_t begin = span.begin; begin < span.end; begin += kPiece) {
      const std::int64_t end = std::min(begin + kPiece, span.end);
      if (windows.unchecked) {
        const Span some{begin / 2, std::min((end + 1) / 2, p_.out.w)};
        clean &= members_.row(windows.indices, windows.od, windows.oh, some);
      }
      place_cells<1>(windows.indices, windows.gradients, p_.out.w, position, p_.in.w, begin, end,
                     writer_.room(to + begin, end - begin));
    }
    return clean;
  }

  void write_zeros(T* to, Span span) {
    for (std::int64_t begin = span.begin; begin < span.end; begin += kPiece) {
      const std::int64_t cells = std::min(kPiece, span.end - begin);
      std::memset(writer_.room(to + begin, cells), 0, static_cast<std::size_t>(cells) * sizeof(T));
    }
  }

  StreamWriter writer_;
  const Plan& p_;
  const WindowAxes& axes_;
  Members members_;
  const bool two_at_once_;  // whole rows of cells that follow each other, and fit the writer
};

template <typename T, typename Index>
void place_boxes(const Plan& plan, const BoxTask& task) {
  RowPlacer<T, Index> placer(plan, task.axes, task.streaming);
  for_each_box(task, [&](std::int64_t plane, const auto& box) HWY_ATTR {
    return placer.box({plane / plan.c, plane % plan.c, 1}, box);
  });
}

}  // namespace

void place(const Plan& plan, const BoxTask& task) {
  with_float_and_index_type(plan.type, plan.index_type,
                            [&]<typename T, typename Index>() { place_boxes<T, Index>(plan, task); });
}

#endif

}  // namespace cairn::max_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool_backward::place_rows {
HWY_EXPORT(place);

namespace {

// Where the elements have 16 bits, so have the positions: no two cells of a window may look alike.
bool sixteen_bits_tell_cells_apart(const WindowAxes& axes) {
  for (std::int64_t d = 0; d < axes.d.extent; ++d) {
    for (std::int64_t h = 1 - axes.h.extent; h < axes.h.extent; ++h) {
      const std::int64_t distance = (d * axes.h.in + h) * axes.w.in;
      if (distance != 0 && ((distance + 1) & 0xFFFF) <= 2) return false;
    }
  }
  return true;
}

}  // namespace

const char* why_not(const Plan& p) {
  if (const char* reason = why_not_floats(p)) return reason;
  const WindowAxes axes(p);
  const std::int64_t lanes = float_lanes();
  if (lanes == 1) return "this instruction set has no vectors";
  if (axes.w.stride != 2 || axes.w.extent != 2 || axes.w.padding != 0)
    return "windows are not two cells wide and apart along W";
  if (axes.d.extent > axes.d.stride || axes.h.extent > axes.h.stride) return "windows overlap";
  if (!have_few_windows(axes, 1)) return "windows are large, or lie in the padding";
  if (p.grad_output.w != 1 || p.indices.w != 1 || p.grad_input.w != 1)
    return "neighbours along W do not lie side by side";
  // To set up a shorter row takes longer than its additions do.
  const std::int64_t least = p.type == DataType::kFloat ? 64 : 32;
  if (p.out.w < std::max(lanes, least)) return "rows of windows are short";
  if (!count_in_32_bits(axes)) return "planes have 2^31 cells or more";
  if (p.type != DataType::kFloat && !sixteen_bits_tell_cells_apart(axes))
    return "16 bits do not tell a window's cells apart";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  return run_boxes(plan, 1, workers, HWY_DYNAMIC_DISPATCH(place), true);
}

}  // namespace cairn::max_pool_backward::place_rows
#endif
