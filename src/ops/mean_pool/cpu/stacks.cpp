// Planes whose windows overlap much and suit no row of vectors, such as those of more than 64 taps: a few
// planes are put side by side, and are channels then. Two cores of a Xeon, ms with it and without:
// a2-k11s1 4.7 and 24 (long_windows), g2-grow 24 and 88 (boxes).

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/plane_stacks.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool/cpu/windows.h"

namespace cairn::mean_pool {

CAIRN_CPU_METHOD(channels)

namespace stacks {
namespace {

struct Scratch {
  Aligned<float> cells, windows;
};

constexpr Size3 cells_of(const Plan& p) { return {p.d.in, p.h.in, p.w.in}; }
constexpr Size3 windows_of(const Plan& p) { return {p.d.out, p.h.out, p.w.out}; }
constexpr std::int64_t elements_of(const Plan& p) { return cells_of(p).count() + windows_of(p).count(); }
constexpr std::int64_t width_of(const Plan& p) { return stack_width(p.n * p.c, elements_of(p)); }

// A stack as a plan of its own.
Plan stacked(const Plan& plan, std::int64_t width, float* cells, float* windows) {
  Plan one = plan;
  one.type = DataType::kFloat;
  one.n = 1;
  one.c = width;
  one.self = stack_view(cells, width, cells_of(plan));
  one.values = stack_view(windows, width, windows_of(plan));
  return one;
}

template <typename T>
void pool_stacks(const Plan& plan, std::int64_t begin, std::int64_t end) {
  const std::int64_t width = width_of(plan);
  const OfThread<Scratch> scratch;
  grow(scratch->cells, cells_of(plan).count() * width);
  grow(scratch->windows, windows_of(plan).count() * width);
  PlaneStack<T> cells(plan.self, plan.c, cells_of(plan), width);
  PlaneStack<T> windows(plan.values, plan.c, windows_of(plan), width);
  const Plan one = stacked(plan, width, scratch->cells.data(), scratch->windows.data());
  OneThread alone;
  for (std::int64_t stack = begin; stack < end; ++stack) {
    const std::int64_t first = stack * width;
    const std::int64_t count = std::min(width, plan.n * plan.c - first);
    cells.stack(first, count, scratch->cells.data());
    channels::run(one, alone);
    windows.unstack(scratch->windows.data(), first, count);
  }
}

}  // namespace

const char* why_not(const Plan& plan) {
  if (!is_worth_stacking(plan.n * plan.c, elements_of(plan))) return "planes are large, or small and few";
  if (most_taps(plan) * windows_of(plan).count() < 2 * cells_of(plan).count())
    return "windows hardly overlap";
  return channels::why_not(stacked(plan, width_of(plan), nullptr, nullptr));
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  const std::int64_t width = width_of(plan);
  const Units stacks{
      .count = (plan.n * plan.c + width - 1) / width,
      .elements = width * (cells_of(plan).count() + windows_of(plan).count() * most_taps(plan))};
  with_float_type(plan.type, [&]<typename T>() {
    for_each_range(workers, stacks,
                   [&](std::int64_t begin, std::int64_t end) { pool_stacks<T>(plan, begin, end); });
  });
  return std::nullopt;
}

}  // namespace stacks
}  // namespace cairn::mean_pool
