#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/kit/long_sum.h"
#include "ops/mean_pool_backward/cuda/methods.h"

namespace cairn::mean_pool_backward {
namespace {

constexpr int kThreads = 128;
constexpr int kPackBytes = 16;

// A thread sums a cell of a pack of channels.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    sum_channels(const __grid_constant__ cuda::NarrowMeans<cuda::Sum<T>> plan) {
  using Sum = cuda::Sum<T>;
  constexpr int kCount = kPackBytes / sizeof(T);
  cuda::let_next_kernel_come();
  const unsigned item = blockIdx.x * kThreads + threadIdx.x;
  if (item >= plan.items) return;
  cuda::Digits<std::uint32_t> digits{item};
  const auto c = static_cast<int>(digits.next(plan.by_c));
  const auto w = static_cast<int>(digits.next(plan.by_w));
  const auto h = static_cast<int>(digits.next(plan.by_h));
  const auto d = static_cast<int>(digits.next(plan.by_d));
  const auto n = static_cast<int>(digits.left);
  const cuda::Cells of_d = plan.d.windows(d);
  const cuda::Cells of_h = plan.h.windows(h);
  const cuda::Cells of_w = plan.w.windows(w);
  cuda::wait_for_kernel_before();
  const T* from = static_cast<const T*>(plan.read) + n * plan.from.n + c * kCount;
  Sum sums[kCount] = {};
  for (int i = of_d.begin; i < of_d.end; ++i) {
    for (int j = of_h.begin; j < of_h.end; ++j) {
      for (int k = of_w.begin; k < of_w.end; ++k) {
        const auto pack = cuda::load_pack<T, kCount>(from + plan.from.place(i, j, k));
        const Sum by = plan.divisor_of(i, j, k);
#pragma unroll
        for (int at = 0; at < kCount; ++at) sums[at] += cuda::widen(pack.at[at]) / by;
      }
    }
  }
  cuda::Pack<T, kCount> result;
#pragma unroll
  for (int at = 0; at < kCount; ++at) result.at[at] = cuda::narrow<T>(sums[at]);
  cuda::store_pack(static_cast<T*>(plan.written) + n * plan.to.n + c * kCount + plan.to.place(d, h, w),
                   result);
}

}  // namespace

const char* why_not_channels(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.grad_input, plan.grad_output)) return reason;
  if (plan.d.most_windows() * plan.h.most_windows() * plan.w.most_windows() > long_sum::kLanes)
    return "cells may have more than 64 windows";
  return cuda::why_not_channel_packs(plan, plan.grad_input, plan.grad_output);
}

cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_real_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    const auto means = cuda::narrow_means<cuda::Sum<T>>(
        plan, plan.grad_output, plan.grad_input, plan.c * static_cast<std::int64_t>(sizeof(T)) / kPackBytes,
        {plan.d.in, plan.h.in, plan.w.in});
    return cuda::start_kernel(sum_channels<T>, means, cuda::divide_up(means.items, kThreads), kThreads, 0,
                              launch.stream);
  });
}

}  // namespace cairn::mean_pool_backward
