#include "ops/upsample_nearest_backward/cuda/cells.cuh"
#include "ops/upsample_nearest_backward/cuda/methods.h"
#include "ops/upsample_nearest_backward/cuda/sum_plan.h"

namespace cairn::upsample_nearest_backward {
namespace {

// Starts sum_cells with the taps along W unrolled where they are few.
template <typename T, int Count, bool ChannelsLast, typename Coord>
cudaError_t start_cells(const SumPlan<Coord>& sums, const cuda::CudaLaunch& launch) {
  if constexpr (sizeof(Coord) == 4) {
    if (sums.w.has_few(1)) return start_sums(sum_cells<T, Count, 1, ChannelsLast, Coord>, sums, launch);
    if (sums.w.has_few(2)) return start_sums(sum_cells<T, Count, 2, ChannelsLast, Coord>, sums, launch);
    if (sums.w.has_few(3)) return start_sums(sum_cells<T, Count, 3, ChannelsLast, Coord>, sums, launch);
    if (sums.w.has_few(4)) return start_sums(sum_cells<T, Count, 4, ChannelsLast, Coord>, sums, launch);
  }
  return start_sums(sum_cells<T, Count, 0, ChannelsLast, Coord>, sums, launch);
}

}  // namespace

const char* why_not_channels(const Plan& plan) {
  if (is_empty(plan)) return "there are no cells";
  const bool last = plan.c > 1 && plan.grad_out.c == 1 && plan.grad_input.c == 1;
  return last ? nullptr : "channels are not neighbours in memory";
}

const char* why_not_channel_packs(const Plan& plan) {
  if (const char* reason = why_not_channels(plan)) return reason;
  const View5& from = plan.grad_out;
  const View5& to = plan.grad_input;
  const bool packs = in_packs(plan, from.data, {plan.c, from.n, from.d, from.h, from.w}) &&
                     in_packs(plan, to.data, {to.n, to.d, to.h, to.w});
  return packs ? nullptr : "channels do not lie in packs of 16 bytes";
}

cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  return by_type(plan, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_coordinate(is_narrow(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
      return start_cells<T, 1, true>(sum_plan<Coord>(plan, plan.c, plan.in.w), launch);
    });
  });
}

cudaError_t run_channel_packs(const Plan& plan, const cuda::CudaLaunch& launch) {
  return by_type(plan, [&]<typename T>(cuda::Tag<T>) {
    constexpr int kCount = kPackBytes / sizeof(T);
    return cuda::by_coordinate(is_narrow(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
      return start_cells<T, kCount, true>(sum_plan<Coord>(plan, plan.c / kCount, plan.in.w), launch);
    });
  });
}

cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (is_empty(plan)) return cudaSuccess;
  return by_type(plan, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_coordinate(is_narrow(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
      return start_cells<T, 1, false>(sum_plan<Coord>(plan, plan.in.w, plan.c), launch);
    });
  });
}

}  // namespace cairn::upsample_nearest_backward
