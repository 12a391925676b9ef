// Planes whose cells are sums that suit no row of vectors, such as those of more than 64 windows: a few
// planes are put side by side, and are channels then. Two cores of a Xeon, ms with it and by `cells`:
// a2-k11s1 2.3 and 107, g2-grow 9.4 and 94.

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/plane_stacks.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool_backward/cpu/share_rows.h"

namespace cairn::mean_pool_backward {

CAIRN_CPU_METHOD(channels)

namespace stacks {
namespace {

constexpr Size3 cells_of(const Plan& p) { return {p.d.in, p.h.in, p.w.in}; }
constexpr Size3 windows_of(const Plan& p) { return {p.d.out, p.h.out, p.w.out}; }
constexpr std::int64_t elements_of(const Plan& p) { return cells_of(p).count() + windows_of(p).count(); }
constexpr std::int64_t width_of(const Plan& p) { return stack_width(p.n * p.c, elements_of(p)); }

// A stack as a plan of its own.
template <typename Sum>
Plan stacked(const Plan& plan, std::int64_t width, Sum* windows, Sum* cells) {
  Plan one = plan;
  one.type = sizeof(Sum) == sizeof(double) ? DataType::kDouble : DataType::kFloat;
  one.n = 1;
  one.c = width;
  one.grad_output = stack_view(windows, width, windows_of(plan));
  one.grad_input = stack_view(cells, width, cells_of(plan));
  return one;
}

template <typename T>
void sum_stacks(const Plan& plan, std::int64_t begin, std::int64_t end) {
  using Sum = SumOf<T>;
  struct Scratch {
    Aligned<Sum> windows, cells;
  };
  const std::int64_t width = width_of(plan);
  const OfThread<Scratch> scratch;
  grow(scratch->windows, windows_of(plan).count() * width);
  grow(scratch->cells, cells_of(plan).count() * width);
  PlaneStack<T> windows(plan.grad_output, plan.c, windows_of(plan), width);
  PlaneStack<T> cells(plan.grad_input, plan.c, cells_of(plan), width);
  const Plan one = stacked<Sum>(plan, width, scratch->windows.data(), scratch->cells.data());
  OneThread alone;
  for (std::int64_t stack = begin; stack < end; ++stack) {
    const std::int64_t first = stack * width;
    const std::int64_t count = std::min(width, plan.n * plan.c - first);
    windows.stack(first, count, scratch->windows.data());
    channels::run(one, alone);
    cells.unstack(scratch->cells.data(), first, count);
  }
}

}  // namespace

const char* why_not(const Plan& plan) {
  if (!is_worth_stacking(plan.n * plan.c, elements_of(plan))) return "planes are large, or small and few";
  return channels::why_not(stacked<float>(plan, width_of(plan), nullptr, nullptr));
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  const std::int64_t width = width_of(plan);
  const Units stacks{
      .count = (plan.n * plan.c + width - 1) / width,
      .elements = width * (windows_of(plan).count() +
                           cells_of(plan).count() * std::max<std::int64_t>(most_terms(plan), 1))};
  with_real_type(plan.type, [&]<typename T>() {
    for_each_range(workers, stacks,
                   [&](std::int64_t begin, std::int64_t end) { sum_stacks<T>(plan, begin, end); });
  });
  return std::nullopt;
}

}  // namespace stacks
}  // namespace cairn::mean_pool_backward
