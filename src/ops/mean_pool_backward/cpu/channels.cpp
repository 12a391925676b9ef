// Channels side by side: each cell adds the shares of its windows for all channels at once, those of more
// than 64 windows lane by lane.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool_backward/cpu/share_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool_backward/cpu/channels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/mean_pool_backward/cpu/shares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool_backward::HWY_NAMESPACE {

template <typename T>
class Channels {
 public:
  using Sum = SumOf<T>;

  Channels(const Plan& plan, const AxisTables& axes)
      : p_(plan),
        axes_(axes),
        rows_(plan, plan.w.out * plan.c + kSlack),
        writer_(streams_past_cache(bytes_touched(plan))),
        row_list_(static_cast<std::size_t>(plan.d.most_windows() * plan.h.most_windows())),
        lines_(static_cast<std::size_t>(most_terms(plan))) {}

  void write(std::int64_t begin, std::int64_t end) {
    RowPlace at(p_, begin, 1);
    for (std::int64_t row = begin; row < end; ++row, at.step(p_, 1)) write_row(at);
  }

 private:
  void write_row(const RowPlace& at) {
    const std::int64_t count =
        rows_.find(at.n, axes_.d.windows(at.d), axes_.h.windows(at.h), 0, row_list_.data(),
                   [&](std::int64_t d, std::int64_t h, Sum* made) { make_row(at.n, d, h, made); });
    T* to = at.grad_input<T>(p_);
    for (std::int64_t cell = 0, cells = 0; cell < p_.w.in; cell += cells) {
      const Span windows = axes_.w.windows(cell);
      cells = one_line(cell, windows);
      const Sum** line = lines_.data();
      for (std::int64_t row = 0; row < count; ++row)
        for (std::int64_t w = windows.begin; w < windows.end; ++w)
          *line++ = row_list_[static_cast<std::size_t>(row)] + w * p_.c;
      const std::int64_t terms = line - lines_.data();
      if (terms <= long_sum::kLanes)
        write_sums(lines_.data(), terms, cells * p_.c, to + cell * p_.grad_input.w, writer_);
      else
        write_sums<ByLanes>(lines_.data(), terms, cells * p_.c, to + cell * p_.grad_input.w, writer_);
    }
  }

  // Cells one behind the other whose windows are, too: their channels are one line. One thread of an EPYC,
  // least ms with that and without: 16 images of 128x64x128, 3 s1, FLOAT 5.1 and 6.9, FLOAT16 4.9 and 6.3.
  std::int64_t one_line(std::int64_t cell, const Span& windows) const {
    if (p_.w.stride != 1 || p_.grad_input.w != p_.c) return 1;
    std::int64_t count = 1;
    while (cell + count < p_.w.in &&
           axes_.w.windows(cell + count) == Span{windows.begin + count, windows.end + count})
      ++count;
    return count;
  }

  void make_row(std::int64_t n, std::int64_t d, std::int64_t h, Sum* to) const {
    const RowDivisors<Sum> divisors(p_, d, h);
    const std::int64_t taps = axes_.d.cells(d).size() * axes_.h.cells(h).size();
    const T* from = static_cast<const T*>(p_.grad_output.data) + n * p_.grad_output.n + d * p_.grad_output.d +
                    h * p_.grad_output.h;
    if (p_.grad_output.w == p_.c && !p_.divisor.by_taps && divisors.of(0) == divisors.of(p_.w.out - 1))
      return Quotient<T>(divisors.of(0), p_.w.out * p_.c).make_line(from, p_.w.out * p_.c, to);
    for (std::int64_t w = 0; w < p_.w.out; ++w) {
      const Sum by = p_.divisor.by_taps ? static_cast<Sum>(taps * axes_.w.cells(w).size()) : divisors.of(w);
      Quotient<T>(by, p_.c).make_line(from + w * p_.grad_output.w, p_.c, to + w * p_.c);
    }
  }

  static constexpr std::int64_t kSlack{hn::MaxLanes(hn::ScalableTag<Sum>())};

  const Plan& p_;
  const AxisTables& axes_;
  KeptRows<Sum> rows_;
  StreamWriter writer_;
  std::vector<const Sum*> row_list_, lines_;
};

void sum_channels(const Plan& plan, Workers& workers) {
  const Units rows{.count = plan.n * plan.d.in * plan.h.in,
                   .elements = plan.w.in * plan.c * std::max<std::int64_t>(most_terms(plan), 1)};
  const AxisTables axes(plan);
  with_real_type(plan.type, [&]<typename T>() HWY_ATTR {
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      Channels<T>(plan, axes).write(begin, end);
    });
  });
}

}  // namespace cairn::mean_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool_backward::channels {

const char* why_not(const Plan& plan) {
  constexpr std::int64_t kMost = std::int64_t{1} << 22;
  if (plan.c < 4 || plan.grad_input.c != 1 || plan.grad_output.c != 1)
    return "channels are not neighbours in memory";
  if (most_terms(plan) > long_sum::kRun) return "cells may have more than 4096 windows";
  if (plan.w.out * plan.c * plan.d.most_windows() * plan.h.most_windows() > kMost)
    return "rows are too long to be kept";
  return nullptr;
}

CAIRN_RUN_KERNEL(sum_channels)

}  // namespace cairn::mean_pool_backward::channels
#endif
