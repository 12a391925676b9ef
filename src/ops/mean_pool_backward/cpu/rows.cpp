// Cells side by side: the shares of a row of windows are spread over the cells of a row, once for each window
// that a cell may have, and the rows of cells that have them add them up.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/candidate.h"
#include "ops/kit/cpu/plane_stacks.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/window_steps.h"
#include "ops/mean_pool_backward/cpu/share_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool_backward/cpu/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/mean_pool_backward/cpu/few_windows-inl.h"
#include "ops/mean_pool_backward/cpu/picked_cells-inl.h"
#include "ops/mean_pool_backward/cpu/share_pairs-inl.h"
#include "ops/mean_pool_backward/cpu/shares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool_backward::HWY_NAMESPACE {

template <typename T>
class SpreadRows {
 public:
  using Sum = SumOf<T>;
  using D = hn::ScalableTag<Sum>;

  SpreadRows(const Plan& plan, const AxisTables& axes)
      : writer_(streams_past_cache(bytes_touched(plan))),
        p_(plan),
        axes_(axes),
        layers_(std::max<std::int64_t>(plan.w.most_windows(), 1)),
        pitch_(plan.w.in + 4 * kWidth),
        // Of three windows one apart the middle one begins a vector, and a cache line.
        margin_(in_vectors((plan.w.is_adaptive() ? 0 : plan.w.kernel) + 2 * kWidth) + 1 - plan.w.padding % 2),
        slot_((plan.w.in + 2 * kSlack - 1) / kSlack * kSlack),
        single_(most_terms(plan) <= 1),
        // Windows one or two apart, none of which is missing because there are so few.
        steps_(!plan.w.is_adaptive() && plan.w.stride <= 2 &&
               layers_ == (plan.w.kernel - 1) / plan.w.stride + 1),
        slides_(steps_ && plan.w.stride == 1),
        in_threes_(slides_ && layers_ == 3),
        repeats_(repeats_rows(plan, axes)),
        has_images_(repeats_ && plan.grad_input.h == plan.w.in && plan.h.in * plan.w.in <= kImage),
        keeps_slice_(has_images_ || axes.h.kinds() * slot_ <= most_kept(plan)),
        has_few_(has_images_ && FewWindows<T>::takes(plan.w)),
        phases_(plan.w),
        few_(plan.w, axes.w),
        rows_(plan, has_few_  ? FewWindows<T>::kRoom
                    : single_ ? 0
                    : steps_  ? in_vectors(plan.w.out + 2 * margin_)
                              : layers_ * pitch_),
        maker_(plan) {
    if (has_few_ || single_ || !steps_) grow(shares_, plan.w.out + 2 * margin_);
    if (single_) grow(values_, plan.w.out + kSlack);
    if (!repeats_) return;
    const std::int64_t kept = keeps_slice_ ? axes.h.kinds() : 1;
    grow(finished_, kept * slot_);
    kept_.assign(static_cast<std::size_t>(kept), Kept{});
    if (has_images_) grow(image_, plan.h.in * plan.w.in + kSlack);
  }

  void write(std::int64_t begin, std::int64_t end) {
    RowPlace at(p_, begin, p_.c);
    while (begin < end) {
      const std::int64_t rows = std::min(end - begin, p_.h.in - at.h);
      write_slice(at, rows);
      at.step(p_, p_.c, rows);
      begin += rows;
    }
  }

 private:
  struct Kept {
    std::int64_t plane = -1, kind_d = 0, kind_h = 0;
    bool operator==(const Kept&) const = default;
  };
  static constexpr std::int64_t kWidth{hn::MaxLanes(D())};
  static constexpr std::int64_t in_vectors(std::int64_t count) {
    return (count + kWidth - 1) / kWidth * kWidth;
  }
  static constexpr std::int64_t kImage = 16384 / sizeof(T);  // cells
  static constexpr std::int64_t kSlack = 2 * hn::MaxLanes(hn::ScalableTag<BitsOf<T>>());

  Kept kept_of(const RowPlace& at) const {
    return {at.n * p_.c + at.c, axes_.d.kind(at.d), axes_.h.kind(at.h)};
  }

  // So many rows of a slice. Which loop they take is asked once: what is looked up for a row shows in short
  // ones.
  void write_slice(RowPlace at, std::int64_t rows) {
    T* to = at.grad_input<T>(p_);
    if (has_images_ && rows == p_.h.in) return copy_row(image(at), p_.h.in * p_.w.in, to, writer_);
    const auto each_row = [&](const auto& write_row) HWY_ATTR {
      for (; rows > 0; --rows, ++at.h, to += p_.grad_input.h) write_row();
    };
    if (repeats_) return each_row([&]() HWY_ATTR { copy_row(finished(at), p_.w.in, to, writer_); });
    if (steps_ && !slides_)
      return each_row([&]() HWY_ATTR { write_pairs(phases_, lines_, find_lines(at), p_.w.in, to, writer_); });
    if (in_threes_)
      return each_row([&]() HWY_ATTR { write_sums<InThrees>(lines_, find_lines(at), p_.w.in, to, writer_); });
    each_row([&]() HWY_ATTR { write_sums(lines_, find_lines(at), p_.w.in, to, writer_); });
  }

  // Rows of cells that lie in the same windows are equal: each is made once, and where there is room kept for
  // the next slice.
  const T* finished(const RowPlace& at) {
    const Kept wanted = kept_of(at);
    const std::int64_t slot = keeps_slice_ ? wanted.kind_h : 0;
    T* row = finished_.data() + slot * slot_;
    Kept& kept = kept_[static_cast<std::size_t>(slot)];
    if (kept == wanted) return row;
    kept = wanted;
    make_finished(at, row);
    return row;
  }

  // A whole slice. First all rows are made and then copied, for what was stored just now and otherwise cannot
  // be loaded at once.
  const T* image(RowPlace at) {
    const Kept wanted = kept_of(at);
    if (imaged_ == wanted) return image_.data();
    imaged_ = wanted;
    if (has_few_) {
      make_image_of_few(at);
      return image_.data();
    }
    for (at.h = 0; at.h < p_.h.in; ++at.h)
      if (at.h == 0 || axes_.h.kind(at.h) != axes_.h.kind(at.h - 1)) finished(at);
    for (std::int64_t h = 0; h < p_.h.in; ++h)
      repeat(static_cast<const T*>(finished_.data()) + axes_.h.kind(h) * slot_, p_.w.in,
             image_.data() + h * p_.w.in);
    return image_.data();
  }

  void make_image_of_few(RowPlace at) {
    std::int64_t end = 0;
    for (at.h = 0; at.h < p_.h.in; at.h = end) {
      while (end < p_.h.in && axes_.h.kind(end) == axes_.h.kind(at.h)) ++end;
      few_.write_rows(lines_, find_rows(at), end - at.h, image_.data() + at.h * p_.w.in);
    }
  }

  void make_finished(const RowPlace& at, T* row) {
    if (has_few_) return few_.write_rows(lines_, find_rows(at), 1, row);
    const Span of_d = axes_.d.windows(at.d);
    const Span of_h = axes_.h.windows(at.h);
    if (single_ && of_d.size() == 1 && of_h.size() == 1) return make_apart(at, of_d.begin, of_h.begin, row);
    const std::int64_t lines = single_ ? 0 : find_lines(at);
    // Whole vectors: there is something behind the lines, and room behind the row.
    if (steps_ && !slides_ && !single_)
      return sum_pairs_into<Stored>(phases_, static_cast<const Sum* const*>(lines_), lines,
                                    in_vectors(p_.w.in), row);
    if (in_threes_)
      return sum_lines_into<Stored, InThrees>(static_cast<const Sum* const*>(lines_), lines,
                                              in_vectors(p_.w.in), row);
    sum_lines_into<Stored>(static_cast<const Sum* const*>(lines_), lines, in_vectors(p_.w.in), row);
  }

  // The rows of windows that a row of cells is the sum of, from `first` on.
  HWY_INLINE std::int64_t find_rows(const RowPlace& at, std::int64_t first = 0) {
    return rows_.find(at.n * p_.c + at.c, axes_.d.windows(at.d), axes_.h.windows(at.h), first, lines_,
                      [&](std::int64_t d, std::int64_t h, Sum* made) HWY_ATTR { make_row(at, d, h, made); });
  }

  // The lines that it is the sum of. Windows two apart, and three that are one apart, need one for each row
  // of windows: sums find what lies beside them.
  HWY_INLINE std::int64_t find_lines(const RowPlace& at) {
    if (steps_ && !slides_) return find_rows(at, margin_);
    const std::int64_t rows = find_rows(at, slides_ ? margin_ + p_.w.padding - p_.w.kernel + 1 : 0);
    return in_threes_ || layers_ == 1 ? rows : spread_layers(rows);
  }

  // Windows one apart: the layers are the shares themselves, each one further. Apart from the rest, because
  // what the compiler makes of its inner loop has a prologue that takes as long as a short row.
  HWY_NOINLINE std::int64_t spread_layers(std::int64_t rows) {
    const std::int64_t step = slides_ ? 1 : pitch_;
    for (std::int64_t row = rows; row-- > 0;) {
      const Sum* const first = lines_[row];
      for (std::int64_t layer = layers_; layer-- > 0;) lines_[row * layers_ + layer] = first + layer * step;
    }
    return rows * layers_;
  }

  // No cell of the plane lies in two windows: a row of cells is that of a row of windows, spread out.
  void make_apart(const RowPlace& at, std::int64_t d, std::int64_t h, T* to) {
    maker_.make(first_window<T>(p_, at, d, h), d, h, shares_.data());
    const Sum* const line = shares_.data();
    sum_lines_into<Stored>(&line, 1, in_vectors(p_.w.out), values_.data());
    if (!p_.w.is_adaptive() && p_.w.kernel == 2 && p_.w.stride == 2 && p_.w.in == 2 * p_.w.out)
      return double_line(static_cast<const T*>(values_.data()), p_.w.out, to);
    std::int64_t done = 0;
    for (std::int64_t window = 0; window < p_.w.out; ++window) {
      const Span cells = axes_.w.cells(window);
      if (cells.begin > done) std::fill_n(to + done, cells.begin - done, rounded<T>(0));
      splat(values_[static_cast<std::size_t>(window)], cells.size(), to + cells.begin);
      done = cells.end;
    }
    if (p_.w.in > done) std::fill_n(to + done, p_.w.in - done, rounded<T>(0));
  }

  // Layer m of a row of windows has for each cell what the m-th of its windows gives it, or nothing.
  HWY_NOINLINE void make_row(const RowPlace& at, std::int64_t d, std::int64_t h, Sum* to) {
    if (has_few_) {
      maker_.make(first_window<T>(p_, at, d, h), d, h, shares_.data());
      return few_.keep(shares_.data(), to);
    }
    Sum* shares = (steps_ ? to : shares_.data()) + margin_;
    maker_.make(first_window<T>(p_, at, d, h), d, h, shares);
    if (!steps_ && layers_ == 2 && p_.w.out <= p_.w.in) return spread_pairs(shares, to);
    if (steps_) {
      // There is nothing in front of the shares and behind them, so that edges need no care.
      hn::StoreU(hn::Zero(D()), D(), shares + p_.w.out);
      return;
    }
    for (std::int64_t cell = 0; cell < p_.w.in; ++cell) {
      const Span windows = axes_.w.windows(cell);
      for (std::int64_t layer = 0; layer < layers_; ++layer)
        to[layer * pitch_ + cell] = layer < windows.size() ? shares[windows.begin + layer] : Sum{0};
    }
  }

  // A cell has two windows at the most, and most have one.
  void spread_pairs(const Sum* shares, Sum* to) const {
    Sum* second = to + pitch_;
    std::fill_n(second, p_.w.in, Sum{0});
    std::int64_t done = 0;
    each_window(p_.w, [&](std::int64_t window, const Span& cells) HWY_ATTR {
      for (; done < cells.begin; ++done) to[done] = 0;
      for (std::int64_t cell = cells.begin; cell < std::min(done, cells.end); ++cell)
        second[cell] = shares[window];
      if (cells.end > done) splat(shares[window], cells.end - done, to + done);
      done = std::max(done, cells.end);
    });
    for (; done < p_.w.in; ++done) to[done] = 0;
  }

  StreamWriter writer_;
  const Plan& p_;
  const AxisTables& axes_;
  const std::int64_t layers_, pitch_, margin_;
  const std::int64_t slot_;  // what a finished row takes
  const bool single_, steps_, slides_, in_threes_, repeats_, has_images_, keeps_slice_, has_few_;
  const Phases phases_;
  const FewWindows<T> few_;
  KeptRows<Sum> rows_;
  ShareMaker<T> maker_;
  Aligned<Sum> shares_;
  Aligned<T> values_, finished_, image_;
  Kept imaged_;
  std::vector<Kept> kept_;
  const Sum* lines_[long_sum::kLanes];
};

#if HWY_TARGET <= HWY_AVX3
template <typename T, int kLanes>
bool picked(const Plan& plan, const AxisTables& axes, std::int64_t begin, std::int64_t end) {
  if (!PickedRows<T, kLanes>::takes(plan, axes)) return false;
  PickedRows<T, kLanes>(plan, axes).write(begin, end);
  return true;
}
#endif

template <typename T>
bool write_picked([[maybe_unused]] const Plan& plan, [[maybe_unused]] const AxisTables& axes,
                  [[maybe_unused]] std::int64_t begin, [[maybe_unused]] std::int64_t end) {
#if HWY_TARGET <= HWY_AVX3
  constexpr int kLine = 64 / sizeof(T);
  if (picked<T, kLine>(plan, axes, begin, end)) return true;
  // Two rows at the most share a vector: of shorter ones, half as long a vector.
  if constexpr (sizeof(T) == 2) return picked<T, kLine / 2>(plan, axes, begin, end);
#endif
  return false;
}

void sum_rows(const Plan& given, Workers& workers) {
  const Plan plan = with_even_windows(given);
  const AxisTables axes(plan);
  with_real_type(plan.type, [&]<typename T>() HWY_ATTR {
    // Slices stay whole, but for those of a plane that is all there is.
    const bool whole = plan.n * plan.c * plan.d.in > 64;
    const Units rows{.count = plan.n * plan.c * plan.d.in * plan.h.in,
                     .elements = plan.w.in * std::max<std::int64_t>(most_terms(plan), 1),
                     .multiple = whole ? plan.h.in : 1};
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      if (write_picked<T>(plan, axes, begin, end)) return;
      SpreadRows<T>(plan, axes).write(begin, end);
    });
  });
}

}  // namespace cairn::mean_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool_backward {

CAIRN_CPU_METHOD(stacks)

namespace rows {
namespace {

// Rows of small planes fill no vectors, which cells of planes side by side do: the wider, the more rows have
// to be made. One thread of an EPYC, FLOAT, us with stacks and with rows, 64k cells in planes of: 7x7, k3s1
// 97 and 221, k3s2 90 and 184; 28x28, k3s1 48 and 80; 15x15 to 7x7 69 and 92; 20x20 to 11x11 68 and 128, and
// to 3x3, where rows repeat, 57 and 23.
bool suits_stacks(const Plan& p) {
  const std::int64_t lanes = float_lanes();
  if (p.n * p.c < kWidestStack || most_terms(p) == 1 || p.w.in >= 2 * lanes) return false;
  if (p.w.in >= lanes && (p.w.stride > 1 || repeats_rows(p, AxisTables(p)))) return false;
  return stacks::why_not(p) == nullptr;
}

}  // namespace

const char* why_not(const Plan& plan) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  if (plan.grad_input.w != 1) return "rows are not contiguous";
  if (most_terms(plan) > long_sum::kLanes) return "cells may have more than 64 windows";
  if (plan.w.in < 4) return "rows are short";
  if (suits_stacks(plan)) return "rows are short, and planes many";
  if ((plan.w.in + plan.w.kernel) * std::max<std::int64_t>(most_terms(plan), 1) > kMost)
    return "rows are too long to be kept";
  return nullptr;
}

CAIRN_RUN_KERNEL(sum_rows)

}  // namespace rows
}  // namespace cairn::mean_pool_backward
#endif
