#include "ops/upsample_nearest_backward/cuda/methods.h"
#include "ops/upsample_nearest_backward/cuda/runs.cuh"
#include "ops/upsample_nearest_backward/cuda/sum_plan.h"

namespace cairn::upsample_nearest_backward {
namespace {

constexpr int kFactor = 4;

}  // namespace

const char* why_not_rows_fourfold(const Plan& plan) {
  const View5& from = plan.grad_out;
  const View5& to = plan.grad_input;
  const std::int64_t element = size_of(plan.type);
  if (is_empty(plan)) return "there are no cells";
  if (element > kPackBytes / kFactor) return "a pack does not hold a cell's positions";
  if (from.w != 1 || to.w != 1) return "neighbours along W are not neighbours in memory";
  if (!cuda::scale_axis<std::int64_t>(plan.in.w, plan.out.w, plan.scale_w, plan.shift).gathers(kFactor))
    return "a cell does not have four positions along W";
  const std::int64_t cells = kPackBytes / element / kFactor;
  const bool packs = in_packs(plan, from.data, {plan.in.w * kFactor, from.n, from.c, from.d, from.h}) &&
                     cuda::in_packs(to.data, element, cells, {to.n, to.c, to.d, to.h});
  return packs ? nullptr : "rows do not lie in packs of 16 bytes";
}

cudaError_t run_rows_fourfold(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    const std::int64_t packs = plan.in.w * kFactor / static_cast<std::int64_t>(kPackBytes / sizeof(T));
    return cuda::by_coordinate(is_narrow(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
      return start_sums(sum_runs<T, kFactor, Coord>, sum_plan<Coord>(plan, packs, plan.c), launch);
    });
  });
}

}  // namespace cairn::upsample_nearest_backward
