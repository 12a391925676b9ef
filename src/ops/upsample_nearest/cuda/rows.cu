#include "ops/upsample_nearest/cuda/methods.h"
#include "ops/upsample_nearest/cuda/row_plan.h"
#include "ops/upsample_nearest/cuda/rows.cuh"

namespace cairn::upsample_nearest {

const char* why_not_rows(const Plan& plan) { return why_not_rows_of_packs(plan, row_steps(plan)); }

cudaError_t run_rows(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_element_size(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return start_copies(widen_rows<T, 0>, row_plan(plan, kRowSteps<T, 0>), plan.n, launch);
  });
}

}  // namespace cairn::upsample_nearest
