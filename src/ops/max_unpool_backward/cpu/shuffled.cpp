#include "backend/kernel.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_unpool_backward/cpu/gather.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward::shuffled {

const char* why_not(const Plan& plan) {
  if (const char* reason = why_not_contiguous(plan)) return reason;
  if (size_of(plan.type) < 8) return "elements of less than 8 bytes leave few lines out";
  if (!writes_past_cache(plan)) return "out fits the cache";
  if (!merge_plane(plan.pooled, plan.indices).is_one_run()) return "indices are not evenly spaced";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  return with_index_type(plan.index_type, [&]<typename Index>() {
    using Element = std::uint64_t;
    if (merge_plane(plan.unpooled, plan.grad_output).is_one_run()) {
      return Gather<Element, Index, EvenPlaces, Order::kShuffled>(plan).run(workers);
    }
    return Gather<Element, Index, RowPlaces, Order::kShuffled>(plan).run(workers);
  });
}

}  // namespace cairn::max_unpool_backward::shuffled
