#include "ops/max_unpool_backward/cuda/gather.cuh"
#include "ops/max_unpool_backward/cuda/methods.h"

namespace cairn::max_unpool_backward {

const char* why_not_packs(const Plan& plan) {
  if (const char* reason = why_not_dense(plan)) return reason;
  const auto in_packs = [count = pack_of(size_of(plan.type))](const View5& view, DataType type) {
    return cuda::in_packs(view.data, size_of(type), count, {});
  };
  if (plan.pooled.count() % pack_of(size_of(plan.type)) != 0) return "planes are not whole packs";
  if (!in_packs(plan.out, plan.type)) return "out does not lie in packs";
  return in_packs(plan.indices, plan.index_type) ? nullptr : "indices do not lie in packs";
}

cudaError_t run_packs(const Plan& plan, const cuda::CudaLaunch& launch) {
  return start_gather<true, true>(plan, launch);
}

}  // namespace cairn::max_unpool_backward
