#include "ops/max_pool_backward/cuda/box_plan.h"
#include "ops/max_pool_backward/cuda/by_types.h"
#include "ops/max_pool_backward/cuda/channels.cuh"
#include "ops/max_pool_backward/cuda/methods.h"

namespace cairn::max_pool_backward {
namespace {

template <typename Coord>
BoxPlan<Coord> channels_plan(const Plan& plan, const Axes& axes, const cuda::CudaLaunch& launch) {
  const Size3 box = best_box(axes, axes.w.even_box(8), kBoxRoom / kWarp);
  BoxPlan<Coord> result = box_plan<Coord>(plan, axes, box, cuda::divide_up(plan.c, kWarp), launch);
  const View5& to = plan.grad_input;
  result.pack = pack_of(to, size_of(plan.type), {plan.c, to.n, to.d, to.h, step_w(to, plan.in)});
  result.floats_per_warp = static_cast<int>(box.count()) * kWarp;
  return result;
}

}  // namespace

const char* why_not_channels(const Plan& plan) {
  if (const char* reason = why_not_floats(plan)) return reason;
  if (plan.n == 0) return "no planes";
  if (plan.c < 16) return "few channels";
  if (plan.grad_output.c != 1 || plan.indices.c != 1 || plan.grad_input.c != 1)
    return "channels do not lie side by side";
  return nullptr;
}

cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  const Axes axes(plan);
  const cudaError_t error = by_types(plan, [&]<typename T, typename Index>(cuda::Tag<T>, cuda::Tag<Index>) {
    return cuda::by_coordinate(fits_int(plan, axes), [&]<typename Coord>(cuda::Tag<Coord>) {
      const BoxPlan<Coord> result = channels_plan<Coord>(plan, axes, launch);
      return start_warps(scatter_channels<T, Index, Coord>, result, result.floats_per_warp * kWarpsPerBlock,
                         launch);
    });
  });
  return error != cudaSuccess ? error : run_repair(plan, launch);
}

}  // namespace cairn::max_pool_backward
