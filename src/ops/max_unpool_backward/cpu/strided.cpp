#include "backend/kernel.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_unpool_backward/cpu/gather.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward::strided {

const char* why_not(const Plan& plan) {
  if (const char* reason = why_not_contiguous(plan)) return reason;
  if (merge_plane(plan.unpooled, plan.grad_output).is_one_run()) return nullptr;
  return "gradOutput's planes are not evenly spaced";
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  return with_bits_and_index_type(plan.type, plan.index_type, [&]<typename Element, typename Index>() {
    if (merge_plane(plan.unpooled, plan.grad_output).stride_w == 1) {
      return Gather<Element, Index, DensePlaces, Order::kFlat>(plan).run(workers);
    }
    return Gather<Element, Index, EvenPlaces, Order::kFlat>(plan).run(workers);
  });
}

}  // namespace cairn::max_unpool_backward::strided
