// The definition, cell by cell: for windows and rows that the others do not take.

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/split.h"
#include "ops/max_pool_values/cpu/window.h"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values::cells {

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  constexpr std::int64_t kMany = std::int64_t{1} << 30;
  const WindowAxes axes(plan);
  const std::int64_t taps = std::min(plan.kernel.d, plan.in.d) * std::min(plan.kernel.h, plan.in.h) *
                            std::min(plan.kernel.w, plan.in.w);
  const Units rows{.count = plan.n * plan.c * plan.out.d * plan.out.h,
                   .elements = std::min(taps, kMany) * std::min(plan.out.w, kMany)};
  with_lane_type(plan.type, [&]<typename Lane>() {
    const OrderKey<Lane> keys(plan.type);
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const RowPlace place(plan, row);
        auto* values = place.values<Lane>(plan);
        for (std::int64_t w = 0; w < plan.out.w; ++w) {
          values[w * plan.values.w] =
              keys.bits(best_of_window(plan, axes, keys, place.plane<Lane>(plan), {place.d, place.h, w}));
        }
      }
    });
  });
  return std::nullopt;
}

}  // namespace cairn::max_pool_values::cells
