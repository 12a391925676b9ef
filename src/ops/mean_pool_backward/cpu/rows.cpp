// Cells side by side: the shares of a row of windows are spread over the cells of a row, once for each window
// that a cell may have, and the rows of cells that have them add them up.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool_backward/cpu/share_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool_backward/cpu/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/mean_pool_backward/cpu/shares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool_backward::HWY_NAMESPACE {

template <typename T>
class SpreadRows {
 public:
  using Sum = SumOf<T>;
  using D = hn::ScalableTag<Sum>;

  explicit SpreadRows(const Plan& plan)
      : p_(plan),
        layers_(std::max<std::int64_t>(plan.w.most_windows(), 1)),
        pitch_(plan.w.in + 4 * kWidth),
        margin_((plan.w.is_adaptive() ? 0 : plan.w.kernel) + 2 * kWidth),
        single_(most_terms(plan) <= 1),
        sums_(plan, single_ ? 0 : layers_ * pitch_),
        ready_(plan, single_ ? plan.w.in : 0) {
    grow(shares_, plan.w.out + 2 * margin_);
    if (single_) grow(spread_, pitch_);
  }

  void write(std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) write_row(RowPlace(p_, row, p_.c));
  }

 private:
  static constexpr std::int64_t kWidth{hn::MaxLanes(D())};

  void write_row(const RowPlace& at) {
    T* to = at.grad_input<T>(p_);
    const Span of_d = p_.d.windows(at.d);
    const Span of_h = p_.h.windows(at.h);
    const std::int64_t plane = at.n * p_.c + at.c;
    std::int64_t count = 0;
    for (std::int64_t d = of_d.begin; d < of_d.end; ++d) {
      for (std::int64_t h = of_h.begin; h < of_h.end; ++h) {
        if (single_) return copy_row(at, plane, d, h, to);
        const Sum* row = sums_.row(plane, d, h, [&](Sum* made) { make_row(at, d, h, made); });
        for (std::int64_t layer = 0; layer < layers_; ++layer) lines_[count++] = row + layer * pitch_;
      }
    }
    if (count == 0) {
      std::fill_n(to, p_.w.in, rounded<T>(0));
      return;
    }
    sum_lines_into(lines_, count, p_.w.in, to);
  }

  void copy_row(const RowPlace& at, std::int64_t plane, std::int64_t d, std::int64_t h, T* to) {
    const T* row = ready_.row(plane, d, h, [&](T* made) {
      make_row(at, d, h, spread_.data());
      const Sum* line = spread_.data();
      sum_lines_into(&line, 1, p_.w.in, made);
    });
    std::memcpy(to, row, static_cast<std::size_t>(p_.w.in) * sizeof(T));
  }

  // Layer m of a cell is the share of the m-th window that has it, or nothing.
  void make_row(const RowPlace& at, std::int64_t d, std::int64_t h, Sum* to) {
    const T* from = static_cast<const T*>(p_.grad_output.data) + at.n * p_.grad_output.n +
                    at.c * p_.grad_output.c + d * p_.grad_output.d + h * p_.grad_output.h;
    Sum* shares = shares_.data() + margin_;
    make_shares(p_, from, p_.grad_output.w, d, h, shares);
    if (layers_ > 1 && has_steps()) return spread_in_steps(shares, to);
    if (layers_ == 1) return spread_apart(shares, to);
    for (std::int64_t cell = 0; cell < p_.w.in; ++cell) {
      const Span windows = p_.w.windows(cell);
      for (std::int64_t layer = 0; layer < layers_; ++layer)
        to[layer * pitch_ + cell] = layer < windows.size() ? shares[windows.begin + layer] : Sum{0};
    }
  }

  // Windows one or two apart, none of which is missing because there are so few.
  bool has_steps() const {
    return !p_.w.is_adaptive() && p_.w.stride <= 2 && layers_ == (p_.w.kernel - 1) / p_.w.stride + 1;
  }

  // No cell has two windows.
  void spread_apart(Sum* shares, Sum* to) const {
    if (!p_.w.is_adaptive() && p_.w.kernel == 2 && p_.w.stride == 2 && p_.w.padding == 0)
      return spread_in_steps(shares, to);
    std::int64_t done = 0;
    for (std::int64_t window = 0; window < p_.w.out; ++window) {
      const Span cells = p_.w.cells(window);
      for (; done < cells.begin; ++done) to[done] = 0;
      for (; done < cells.end; ++done) to[done] = shares[window];
    }
    for (; done < p_.w.in; ++done) to[done] = 0;
  }

  // Windows one or two apart: those of a cell follow from its number, or its half. There is nothing in front
  // of the shares and behind them, so that edges need no care.
  void spread_in_steps(Sum* shares, Sum* to) const {
    std::fill_n(shares - margin_, margin_, Sum{0});
    std::fill_n(shares + p_.w.out, margin_, Sum{0});
    const D d;
    const std::int64_t reach = p_.w.padding - p_.w.kernel + 1;
    if (p_.w.stride == 1) {
      for (std::int64_t layer = 0; layer < layers_; ++layer)
        for (std::int64_t cell = 0; cell < p_.w.in; cell += kWidth)
          hn::StoreU(hn::LoadU(d, shares + cell + reach + layer), d, to + layer * pitch_ + cell);
      return;
    }
    const auto half_up = [](std::int64_t value) { return (value + 1) >> 1; };
    const std::int64_t first[2] = {half_up(reach), half_up(reach + 1)};
    const std::int64_t last[2] = {p_.w.padding >> 1, (p_.w.padding + 1) >> 1};
    for (std::int64_t layer = 0; layer < layers_; ++layer) {
      const auto share = [&](int phase, std::int64_t pair) HWY_ATTR {
        const std::int64_t window = first[phase] + layer;
        return window <= last[phase] ? hn::LoadU(d, shares + pair + window) : hn::Zero(d);
      };
      for (std::int64_t pair = 0; 2 * pair < p_.w.in; pair += kWidth)
        hn::StoreInterleaved2(share(0, pair), share(1, pair), d, to + layer * pitch_ + 2 * pair);
    }
  }

  const Plan& p_;
  const std::int64_t layers_, pitch_, margin_;
  const bool single_;
  KeptRows<Sum> sums_;
  KeptRows<T> ready_;
  Aligned<Sum> shares_, spread_;
  const Sum* lines_[long_sum::kLanes];
};

void sum_rows(const Plan& plan, Workers& workers) {
  const Units rows{.count = plan.n * plan.c * plan.d.in * plan.h.in,
                   .elements = plan.w.in * std::max<std::int64_t>(most_terms(plan), 1)};
  with_real_type(plan.type, [&]<typename T>() HWY_ATTR {
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      SpreadRows<T>(plan).write(begin, end);
    });
  });
}

}  // namespace cairn::mean_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool_backward::rows {

const char* why_not(const Plan& plan) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  if (plan.grad_input.w != 1) return "rows are not contiguous";
  if (most_terms(plan) > long_sum::kLanes) return "cells may have more than 64 windows";
  if (plan.w.in < 4) return "rows are short";
  if ((plan.w.in + plan.w.kernel) * std::max<std::int64_t>(most_terms(plan), 1) > kMost)
    return "rows are too long to be kept";
  return nullptr;
}

CAIRN_RUN_KERNEL(sum_rows)

}  // namespace cairn::mean_pool_backward::rows
#endif
