#include "ops/upsample_nearest_backward/cuda/methods.h"
#include "ops/upsample_nearest_backward/cuda/rows.cuh"
#include "ops/upsample_nearest_backward/cuda/sum_plan.h"

namespace cairn::upsample_nearest_backward {
namespace {

const char* why_not(const Plan& plan, int factor) {
  const View5& from = plan.grad_out;
  const View5& to = plan.grad_input;
  if (is_empty(plan)) return "there are no cells";
  if (from.w != 1 || to.w != 1) return "neighbours along W are not neighbours in memory";
  if (!cuda::scale_axis<std::int64_t>(plan.in.w, plan.out.w, plan.scale_w, plan.shift).gathers(factor))
    return factor == 1 ? "W is resized" : "a cell does not have two positions along W";
  const bool packs = in_packs(plan, from.data, {from.n, from.c, from.d, from.h}) &&
                     in_packs(plan, to.data, {plan.in.w, to.n, to.c, to.d, to.h});
  return packs ? nullptr : "rows do not lie in packs of 16 bytes";
}

template <int Factor>
cudaError_t run(const Plan& plan, const cuda::CudaLaunch& launch) {
  return by_type(plan, [&]<typename T>(cuda::Tag<T>) {
    const std::int64_t packs = plan.in.w / static_cast<std::int64_t>(kPackBytes / sizeof(T));
    return cuda::by_coordinate(is_narrow(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
      return start_sums(sum_rows<T, Factor, Coord>, sum_plan<Coord>(plan, packs, plan.c), launch);
    });
  });
}

}  // namespace

const char* why_not_rows_same(const Plan& plan) { return why_not(plan, 1); }
cudaError_t run_rows_same(const Plan& plan, const cuda::CudaLaunch& launch) { return run<1>(plan, launch); }

const char* why_not_rows_twice(const Plan& plan) { return why_not(plan, 2); }
cudaError_t run_rows_twice(const Plan& plan, const cuda::CudaLaunch& launch) { return run<2>(plan, launch); }

}  // namespace cairn::upsample_nearest_backward
