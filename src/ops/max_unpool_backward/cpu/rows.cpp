#include "backend/kernel.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_unpool_backward/cpu/gather.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward::rows {

const char* why_not(const Plan& plan) { return why_not_contiguous(plan); }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  return with_bits_and_index_type(plan.type, plan.index_type, [&]<typename Element, typename Index>() {
    return Gather<Element, Index, RowPlaces, Order::kFlat>(plan).run(workers);
  });
}

}  // namespace cairn::max_unpool_backward::rows
