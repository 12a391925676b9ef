#include "ops/max_pool_backward/cpu/repair.h"

#include "ops/max_pool_backward/cpu/scatterer.h"

namespace cairn::max_pool_backward {

std::optional<IndexFault> repair_planes(const Plan& plan, const std::vector<std::int64_t>& planes,
                                        Workers& workers) {
  // A plane is walked once for every box of it, so its boxes are large.
  constexpr std::int64_t kMostCells = std::int64_t{1} << 22;
  if (planes.empty()) return std::nullopt;
  FirstFault faults;
  const Boxes boxes(plan.in, kMostCells);
  run_scatterers(plan, workers, false, static_cast<std::int64_t>(planes.size()) * boxes.count(),
                 boxes.cells() + plan.out.count(), [&](auto& scatterer, std::int64_t i) {
                   const std::int64_t plane = planes[static_cast<std::size_t>(i / boxes.count())];
                   scatterer.whole({plane / plan.c, plane % plan.c, 1}, boxes[i % boxes.count()], faults);
                 });
  return faults.get();
}

}  // namespace cairn::max_pool_backward
