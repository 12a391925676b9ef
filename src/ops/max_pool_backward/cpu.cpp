#include "ops/max_pool_backward/cpu.h"

#include <cstdint>
#include <vector>

#include "ops/max_pool_backward/cpu_scatter.h"

namespace cairn::max_pool_backward {

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers) {
  if (plan.n == 0 || plan.c == 0) return std::nullopt;
  const std::vector<std::int64_t> strays = scatter_by_geometry(plan, workers);
  if (strays.empty()) return std::nullopt;
  return scatter_planes(plan, strays, workers);
}

}  // namespace cairn::max_pool_backward
