#include "ops/upsample_nearest/cuda/methods.h"
#include "ops/upsample_nearest/cuda/row_plan.h"
#include "ops/upsample_nearest/cuda/rows.cuh"

namespace cairn::upsample_nearest {
namespace {

template <int Factor>
cudaError_t run(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_element_size(plan.type, [&]<typename T>(cuda::Tag<T>) {
    constexpr int kSteps = kRowSteps<T, Factor>;
    if (Factor == 0 && has_rows_only(plan))
      return start_copies(widen_rows<T, Factor, kManySteps>, row_plan(plan, kManySteps), plan.n, launch);
    return start_copies(widen_rows<T, Factor, kSteps>, row_plan(plan, kSteps), plan.n, launch);
  });
}

}  // namespace

const char* why_not_rows_same(const Plan& plan) {
  if (const char* reason = why_not_rows_of_packs(plan, kSteps)) return reason;
  if (!cuda::scale_axis<int>(plan.in.w, plan.out.w, plan.scale_w, plan.shift).repeats(1))
    return "W is resized";
  const View5& from = plan.self;
  const int element = size_of(plan.type);
  const bool packs =
      cuda::in_packs(from.data, element, kPackBytes / element, {from.n, from.c, from.d, from.h});
  return packs ? nullptr : "rows of self do not lie in packs";
}
cudaError_t run_rows_same(const Plan& plan, const cuda::CudaLaunch& launch) { return run<1>(plan, launch); }

const char* why_not_rows(const Plan& plan) { return why_not_rows_of_packs(plan, row_steps(plan)); }
cudaError_t run_rows(const Plan& plan, const cuda::CudaLaunch& launch) { return run<0>(plan, launch); }

}  // namespace cairn::upsample_nearest
