// Planes whose rows are short, or do not lie in order: a few of them are put side by side, and are channels
// then. Two cores of a Xeon, ms with it and without: m2-global7 2.9 and 5.1 (rows), m2-transposed 5 and 50
// (cells).

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/plane_stacks.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/order_key.h"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values {

CAIRN_CPU_METHOD(channels)

namespace stacks {
namespace {

constexpr std::int64_t elements_of(const Plan& p) { return p.in.count() + p.out.count(); }
constexpr std::int64_t width_of(const Plan& p) { return stack_width(p.n * p.c, elements_of(p)); }

// A stack as a plan of its own.
Plan stacked(const Plan& plan, std::int64_t width, void* cells, void* windows) {
  Plan one = plan;
  one.n = 1;
  one.c = width;
  one.self = stack_view(cells, width, plan.in);
  one.values = stack_view(windows, width, plan.out);
  return one;
}

template <typename Lane>
void pool_stacks(const Plan& plan, std::int64_t begin, std::int64_t end) {
  struct Scratch {
    Aligned<Lane> cells, windows;
  };
  const std::int64_t width = width_of(plan);
  const OfThread<Scratch> scratch;
  grow(scratch->cells, plan.in.count() * width);
  grow(scratch->windows, plan.out.count() * width);
  PlaneStack<Lane> cells(plan.self, plan.c, plan.in, width);
  PlaneStack<Lane> windows(plan.values, plan.c, plan.out, width);
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
  constexpr std::int64_t kShort = 8;
  const std::int64_t width = width_of(plan);
  if (!is_worth_stacking(plan.n * plan.c, elements_of(plan))) return "planes are large, or small and few";
  const bool strided = plan.in.w > 1 && plan.self.w != 1;
  if (!strided && (plan.in.w > kShort || size_of(plan.type) != sizeof(float))) return "rows are long";
  if (plan.n * plan.c < width) return "there are few planes";
  return channels::why_not(stacked(plan, width, nullptr, nullptr));
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  const std::int64_t width = width_of(plan);
  const Units stacks{.count = (plan.n * plan.c + width - 1) / width, .elements = width * elements_of(plan)};
  with_lane_type(plan.type, [&]<typename Lane>() {
    for_each_range(workers, stacks,
                   [&](std::int64_t begin, std::int64_t end) { pool_stacks<Lane>(plan, begin, end); });
  });
  return std::nullopt;
}

}  // namespace stacks
}  // namespace cairn::max_pool_values
