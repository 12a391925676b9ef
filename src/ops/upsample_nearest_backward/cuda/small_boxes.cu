#include "ops/upsample_nearest_backward/cuda/methods.h"
#include "ops/upsample_nearest_backward/cuda/small_boxes.cuh"
#include "ops/upsample_nearest_backward/cuda/sum_plan.h"

namespace cairn::upsample_nearest_backward {

const char* why_not_small_boxes(const Plan& plan) {
  if (is_empty(plan)) return "there are no cells";
  if (!is_narrow(plan)) return "sizes or offsets in a plane need 64 bits";
  if (plan.grad_out.w != 1) return "neighbours along W are not neighbours in memory";
  const auto has_few = [&plan](std::int64_t in, std::int64_t out, float scale) {
    return cuda::scale_axis<int>(in, out, scale, plan.shift).has_few(kSmall);
  };
  const bool few = has_few(plan.in.d, plan.out.d, plan.scale_d) &&
                   has_few(plan.in.h, plan.out.h, plan.scale_h) &&
                   has_few(plan.in.w, plan.out.w, plan.scale_w);
  return few ? nullptr : "cells have more than three positions along an axis";
}

cudaError_t run_small_boxes(const Plan& plan, const cuda::CudaLaunch& launch) {
  SumPlan<int> sums = sum_plan<int>(plan, plan.in.w, plan.c);
  const auto along_h = static_cast<int>(cuda::divide_up(plan.in.h, kCells));
  sums.by_h = SumPlan<int>::Divider(along_h);
  sums.items = sums.items / sums.h.in * along_h;
  return by_type(plan, [&]<typename T>(cuda::Tag<T>) {
    return start_sums(sums.w.has_few(2) ? sum_small_boxes<T, 2> : sum_small_boxes<T, kSmall>, sums, launch);
  });
}

}  // namespace cairn::upsample_nearest_backward
