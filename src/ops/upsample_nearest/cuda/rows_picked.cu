#include "ops/upsample_nearest/cuda/methods.h"
#include "ops/upsample_nearest/cuda/picks.cuh"
#include "ops/upsample_nearest/cuda/row_plan.h"

namespace cairn::upsample_nearest {

const char* why_not_rows_picked(const Plan& plan) {
  if (size_of(plan.type) != 2) return "elements do not have 2 bytes";
  if (const char* reason = why_not_rows_of_packs(plan, row_steps(plan))) return reason;
  if (plan.scale_w > Picks::kMostScale) return "the sources of a pack lie too far apart";
  if (plan.out.w > Picks::kMostPositions) return "rows are too long for exact products";
  const View5& from = plan.self;
  const bool pairs = cuda::in_packs(from.data, 2, 2, {plan.in.w, from.n, from.c, from.d, from.h});
  return pairs ? nullptr : "rows of self do not lie in pairs";
}

cudaError_t run_rows_picked(const Plan& plan, const cuda::CudaLaunch& launch) {
  using Half = std::uint16_t;
  const auto kernel = has_rows_only(plan) ? pick_rows<Half, Along::kSame> : pick_rows<Half, Along::kResized>;
  return start_copies(kernel, row_plan(plan, kRowSteps<Half, 0>), plan.n, launch);
}

}  // namespace cairn::upsample_nearest
