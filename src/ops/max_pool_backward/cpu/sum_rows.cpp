#include <algorithm>
#include <vector>

#include "backend/kernel.h"
#include "ops/kit/cpu/half.h"
#include "ops/kit/cpu/sliding_sums.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool_backward/cpu/box_tasks.h"
#include "ops/max_pool_backward/cpu/geometry.h"
#include "ops/max_pool_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool_backward/cpu/sum_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#if HWY_TARGET != HWY_SCALAR
#include "ops/kit/cpu/convert-inl.h"
#include "ops/max_pool_backward/cpu/taps-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_backward::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || !CAIRN_TAPS_OF_16_BITS

std::int64_t fewest_windows() { return 0; }
void sum_halves(const Plan&, const BoxTask&) {}

#else

std::int64_t fewest_windows() { return static_cast<std::int64_t>(hn::Lanes(Words())); }

namespace {

// Neighbouring windows of one row, and those one further to the right.
struct Windows {
  hn::Vec<Halves> left_taps;
  hn::Vec<Halves> right_taps;
  hn::Vec<Floats> left;
  hn::Vec<Floats> right;

  HWY_INLINE Windows(const TapRow& row, std::int64_t ow)
      : left_taps(hn::LoadU(Halves(), row.taps + ow)),
        right_taps(hn::LoadU(Halves(), row.taps + ow + 1)),
        left(hn::LoadU(Floats(), row.gradients + ow)),
        right(hn::LoadU(Floats(), row.gradients + ow + 1)) {}
};

// Three taps of a window side by side, each in all lanes.
struct Taps {
  hn::Vec<Halves> first;
  hn::Vec<Halves> second;
  hn::Vec<Halves> third;

  HWY_INLINE explicit Taps(const std::uint16_t* taps)
      : first(hn::Load(Halves(), taps)),
        second(hn::Load(Halves(), taps + kStep)),
        third(hn::Load(Halves(), taps + 2 * kStep)) {}
};

HWY_INLINE hn::Mask<Floats> are(hn::Vec<Halves> taps, hn::Vec<Halves> tap) {
  return hn::Mask<Floats>{hn::Eq(taps, tap).raw};
}
HWY_INLINE void add_where(hn::Mask<Floats> mask, hn::Vec<Floats> gradients, hn::Vec<Floats>& sums) {
  sums.raw = _mm512_mask_add_ps(sums.raw, mask.raw, sums.raw, gradients.raw);
}

// The sums of cells that lie in the middle of a window, and of those that lie between two, along W.
struct PairSums {
  hn::Vec<Floats> middle;
  hn::Vec<Floats> between;

  template <bool kFirst, bool kMiddleIsLeft>
  HWY_INLINE void add(const Windows& windows, const Taps& taps) {
    const auto in_middle = are(kMiddleIsLeft ? windows.left_taps : windows.right_taps, taps.second);
    const auto in_left = are(windows.left_taps, taps.third);
    const auto gradients = kMiddleIsLeft ? windows.left : windows.right;
    if constexpr (kFirst) {
      middle = hn::IfThenElseZero(in_middle, gradients);
      between = hn::IfThenElseZero(in_left, windows.left);
    } else {
      add_where(in_middle, gradients, middle);
      add_where(in_left, windows.left, between);
    }
    add_where(are(windows.right_taps, taps.first), windows.right, between);
  }
};

struct Cells {
  hn::Vec<Halves> low;
  hn::Vec<Halves> high;
};
HWY_INLINE Cells narrow_pairs(hn::Vec<Floats> even, hn::Vec<Floats> odd, const Float16* /*type*/) {
  const Halves d;
  const auto evens = cairn::HWY_NAMESPACE::narrow_to_float16(Floats(), even);
  const auto odds = cairn::HWY_NAMESPACE::narrow_to_float16(Floats(), odd);
  const auto low = hn::InterleaveLower(d, evens, odds);
  const auto high = hn::InterleaveUpper(d, evens, odds);
  return {hn::ConcatLowerLower(d, high, low), hn::ConcatUpperUpper(d, high, low)};
}
// A NaN among sums of Bfloat16 has nothing in its lower half, so rounding leaves it a NaN.
HWY_INLINE hn::Vec<hn::RebindToUnsigned<Floats> > round_sum(hn::Vec<Floats> sum) {
  const hn::RebindToUnsigned<Floats> d;
  const auto bits = hn::BitCast(d, sum);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1u));
  return hn::Add(hn::Add(bits, hn::Set(d, 0x7FFFu)), odd);
}
HWY_INLINE Cells narrow_pairs(hn::Vec<Floats> even, hn::Vec<Floats> odd, const Bfloat16* /*type*/) {
  const hn::RebindToUnsigned<Floats> d;
  const Words dw;
  const auto pairs = hn::BitCast(
      dw, hn::Or(hn::ShiftRight<16>(round_sum(even)), hn::And(round_sum(odd), hn::Set(d, 0xFFFF0000u))));
  return {hn::LowerHalf(Halves(), pairs), hn::UpperHalf(Halves(), pairs)};
}

HWY_INLINE void store_first(hn::Vec<Halves> cells, std::int64_t count, std::uint16_t* to) {
  hn::BlendedStore(cells, hn::FirstN(Halves(), static_cast<std::size_t>(count)), Halves(), to);
}
HWY_INLINE void store_cells(const Cells& cells, std::int64_t count, std::uint16_t* to) {
  const Halves d;
  if (count >= 2 * kStep) {
    hn::StoreU(cells.low, d, to);
    hn::StoreU(cells.high, d, to + kStep);
  } else if (count >= kStep) {
    hn::StoreU(cells.low, d, to);
    if (count > kStep) store_first(cells.high, count - kStep, to + kStep);
  } else {
    store_first(cells.low, count, to);
  }
}

// A row of windows above a row of cells, the one below it, and the taps by which their slice reaches the
// cells: three rows of three.
struct Neighbours {
  TapRow above;
  TapRow below;
  const std::uint16_t* taps;
};

struct Reach {
  const TapRow& above;
  const TapRow& below;
  Taps top;
  Taps middle;
  Taps bottom;

  HWY_INLINE explicit Reach(const Neighbours& it)
      : above(it.above),
        below(it.below),
        top(it.taps),
        middle(it.taps + 3 * kStep),
        bottom(it.taps + 6 * kStep) {}
};

// Two rows of cells: the first lies in the middle of the windows above, the second between those above and
// those below.
template <typename T, bool kMiddleIsLeft, int kSlices>
HWY_NOINLINE void sum_two_rows(const Neighbours* slices, std::int64_t cells,
                               std::uint16_t* HWY_RESTRICT first, std::uint16_t* HWY_RESTRICT second) {
  const T* type = nullptr;
  const Reach one(slices[0]);
  const Reach other(slices[kSlices - 1]);
  // Where the middle is the right window of two, the left one of the first pair lies before the row.
  std::int64_t ow = kMiddleIsLeft ? 0 : -1;
  for (std::int64_t cell = 0; cell < cells; cell += 2 * kStep, ow += kStep) {
    PairSums in_middle;
    PairSums in_between;
    const auto add = [&]<bool kFirst>(const Reach& reach) {
      const Windows above(reach.above, ow);
      const Windows below(reach.below, ow);
      in_middle.add<kFirst, kMiddleIsLeft>(above, reach.middle);
      in_between.add<kFirst, kMiddleIsLeft>(above, reach.bottom);
      in_between.add<false, kMiddleIsLeft>(below, reach.top);
    };
    add.template operator()<true>(one);
    if constexpr (kSlices == 2) add.template operator()<false>(other);
    const auto put = [&](const PairSums& sums, std::uint16_t* to) {
      store_cells(kMiddleIsLeft ? narrow_pairs(sums.middle, sums.between, type)
                                : narrow_pairs(sums.between, sums.middle, type),
                  cells - cell, to + cell);
    };
    put(in_middle, first);
    put(in_between, second);
  }
}

// Of a vector's worth of cells at least.
template <typename T>
HWY_NOINLINE void make_one_nan(std::uint16_t* row, std::int64_t cells) {
  const Words d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < cells; i += lanes) {
    std::uint16_t* some = row + std::min(i, cells - lanes);
    hn::StoreU(cairn::HWY_NAMESPACE::with_one_nan_of<T>(d, hn::LoadU(d, some)), d, some);
  }
}

template <typename T, typename Index>
class RowSums {
 public:
  RowSums(const Plan& plan, const WindowAxes& axes, bool streaming)
      : p_(plan),
        axes_(axes),
        writer_(streaming),
        rows_(plan, axes, std::max(plan.out.w, plan.in.w / 2 + 1)),
        two_at_once_(plan.grad_input.h == plan.in.w && 2 * plan.in.w <= kPiece),
        taps_(hwy::AllocateAligned<std::uint16_t>(static_cast<std::size_t>(axes.d.extent * 9 * kStep))),
        spare_(static_cast<std::size_t>(2 * (plan.in.w + 1))) {
    for (std::int64_t tap = 0; tap < axes.d.extent * 9; ++tap) {
      const std::int64_t position = (tap / 9 * plan.in.h + tap / 3 % 3) * plan.in.w + tap % 3;
      std::fill_n(taps_.get() + tap * kStep, kStep, static_cast<std::uint16_t>(position));
    }
  }

  // False if an index lies outside its own window.
  bool box(const PlaneGroup& plane, const Box& box) {
    const Span rows = axes_.h.windows(box.h);
    const Span pairs{above(box.h.begin), above(box.h.end - 1) + 1};
    rows_.start(plane, rows.begin);
    bool clean = true;
    for (std::int64_t d = box.d.begin; d < box.d.end; ++d) {
      const Span slices = axes_.d.windows(d);
      rows_.start_slice();
      for (std::int64_t oh = pairs.begin; oh < pairs.end; ++oh) {
        Neighbours neighbours[2];
        for (std::int64_t od = slices.begin; od < slices.end; ++od) {
          clean &= rows_.stage(od, oh + 1);
          const std::int64_t tap = d - (od * axes_.d.stride - axes_.d.padding);
          neighbours[od - slices.begin] = {rows_.row(od, oh), rows_.row(od, oh + 1),
                                           taps_.get() + tap * 9 * kStep};
        }
        write(plane, d, middle(oh), box.h, [&](std::uint16_t* first, std::uint16_t* second) {
          sum_rows_of(slices.size(), neighbours, first, second);
          if (rows_.finite()) [[likely]]
            return;
          make_one_nan<T>(first, p_.in.w);
          make_one_nan<T>(second, p_.in.w);
        });
      }
    }
    return clean;
  }

 private:
  static constexpr std::int64_t kPiece = StreamWriter::kRoom / sizeof(std::uint16_t);

  // The row of cells in the middle of a row of windows, and the row of windows in or above whose middle a row
  // of cells lies.
  std::int64_t middle(std::int64_t oh) const { return 2 * oh - axes_.h.padding + 1; }
  std::int64_t above(std::int64_t h) const { return (h + axes_.h.padding + 1) / 2 - 1; }

  void sum_rows_of(std::int64_t slices, const Neighbours* neighbours, std::uint16_t* first,
                   std::uint16_t* second) const {
    const auto with = [&]<int kSlices>() {
      axes_.w.padding == 1 ? sum_two_rows<T, true, kSlices>(neighbours, p_.in.w, first, second)
                           : sum_two_rows<T, false, kSlices>(neighbours, p_.in.w, first, second);
    };
    if (slices == 2) return with.template operator()<2>();
    if (slices == 1) return with.template operator()<1>();
    std::fill_n(first, p_.in.w, std::uint16_t{0});
    std::fill_n(second, p_.in.w, std::uint16_t{0});
  }

  // Has both rows from `h` on computed, writes those of `box`.
  template <typename Compute>
  void write(const PlaneGroup& plane, std::int64_t d, std::int64_t h, Span box, const Compute& compute) {
    const auto to = [&](std::int64_t row) { return address<std::uint16_t>(p_.grad_input, plane, d, row); };
    if (two_at_once_ && box.begin <= h && h + 1 < box.end) {
      std::uint16_t* place = writer_.room(to(h), 2 * p_.in.w);
      return compute(place, place + p_.in.w);
    }
    compute(spare_.data(), spare_.data() + p_.in.w);
    for (std::int64_t row = std::max(h, box.begin); row < std::min(h + 2, box.end); ++row) {
      writer_.write(to(row), spare_.data() + (row - h) * p_.in.w, p_.in.w);
    }
  }

  const Plan& p_;
  const WindowAxes& axes_;
  StreamWriter writer_;
  TapRows<T, Index> rows_;
  const bool two_at_once_;  // rows of cells that follow each other, and fit the writer
  hwy::AlignedFreeUniquePtr<std::uint16_t[]> taps_;
  std::vector<std::uint16_t> spare_;
};

template <typename T, typename Index>
void sum_boxes(const Plan& plan, const BoxTask& task) {
  RowSums<T, Index> sums(plan, task.axes, task.streaming);
  for_each_box(task, [&](std::int64_t plane, const auto& box) HWY_ATTR {
    return sums.box({plane / plan.c, plane % plan.c, 1}, box);
  });
}

}  // namespace

void sum_halves(const Plan& plan, const BoxTask& task) {
  with_float_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() {
    if constexpr (sizeof(T) == 2) sum_boxes<T, Index>(plan, task);
  });
}

#endif

}  // namespace cairn::max_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool_backward::sum_rows {

HWY_EXPORT(fewest_windows);
HWY_EXPORT(sum_halves);

const char* why_not(const Plan& p) {
  if (const char* reason = why_not_floats(p)) return reason;
  const WindowAxes axes(p);
  const auto overlap = [](const WindowAxis& axis) {
    return axis.extent == 3 && axis.stride == 2 && axis.padding <= 1;
  };
  const std::int64_t fewest = HWY_DYNAMIC_DISPATCH(fewest_windows)();
  // The last tap of a window, and the number that names none, in 16 bits.
  constexpr std::int64_t kMostTaps = 0xFFFF;
  if (fewest == 0) return "this instruction set has no masks for 16-bit lanes";
  if (p.type == DataType::kFloat) return "elements are not halves";
  if (!overlap(axes.h) || !overlap(axes.w)) return "windows are not three cells wide and two apart";
  if (axes.d.extent > 2 * axes.d.stride) return "more than two slices of windows reach a cell";
  if (!have_few_windows(axes, 5)) return "windows are large, or lie in the padding";
  if (p.grad_output.w != 1 || p.indices.w != 1 || p.grad_input.w != 1)
    return "neighbours along W do not lie side by side";
  if (p.out.w < fewest) return "rows of windows are short";
  if (!count_in_32_bits(axes)) return "planes have 2^31 cells or more";
  if (((axes.d.extent - 1) * axes.h.in + 2) * axes.w.in + 3 > kMostTaps)
    return "a window's cells lie too far apart for 16 bits";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  return run_boxes(plan, 1, workers, HWY_DYNAMIC_DISPATCH(sum_halves));
}

}  // namespace cairn::max_pool_backward::sum_rows
#endif
