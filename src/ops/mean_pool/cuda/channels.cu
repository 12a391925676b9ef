#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/kit/long_sum.h"
#include "ops/mean_pool/cuda/methods.h"

namespace cairn::mean_pool {
namespace {

constexpr int kThreads = 128;
constexpr int kPackBytes = 16;

using Means = cuda::NarrowMeans<float>;

// A thread sums a window of a pack of channels: a lane of the sum after the other where it is long.
template <typename T>
__global__ void __launch_bounds__(kThreads) pool_channels(const __grid_constant__ Means plan) {
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
  const cuda::Cells in_d = plan.d.cells(d);
  const cuda::Cells in_h = plan.h.cells(h);
  const cuda::Cells in_w = plan.w.cells(w);
  const int width = in_w.size();
  const int taps = in_d.size() * in_h.size() * width;
  cuda::wait_for_kernel_before();
  const T* self = static_cast<const T*>(plan.read) + n * plan.from.n + c * kCount;
  float sums[kCount] = {};
  const auto add = [&](float(&to)[kCount], int at_d, int at_h, int at_w) {
    const auto pack = cuda::load_pack<T, kCount>(self + plan.from.place(at_d, at_h, at_w));
#pragma unroll
    for (int i = 0; i < kCount; ++i) to[i] += cuda::widen(pack.at[i]);
  };
  if (taps <= long_sum::kLanes) {
    for (int i = in_d.begin; i < in_d.end; ++i)
      for (int j = in_h.begin; j < in_h.end; ++j)
#pragma unroll 16
        for (int k = in_w.begin; k < in_w.end; ++k) add(sums, i, j, k);
  } else {
    for (int lane = 0; lane < long_sum::kLanes; ++lane) {
      float lanes[kCount] = {};
#pragma unroll 4
      for (int tap = lane; tap < taps; tap += long_sum::kLanes) {
        const int row = tap / width;
        const int slice = row / in_h.size();
        add(lanes, in_d.begin + slice, in_h.begin + row - slice * in_h.size(),
            in_w.begin + tap - row * width);
      }
#pragma unroll
      for (int i = 0; i < kCount; ++i) sums[i] += lanes[i];
    }
  }
  const float by = plan.divisor_of(d, h, w, taps);
  cuda::Pack<T, kCount> result;
#pragma unroll
  for (int i = 0; i < kCount; ++i) result.at[i] = cuda::narrow<T>(sums[i] / by);
  cuda::store_pack(static_cast<T*>(plan.written) + n * plan.to.n + c * kCount + plan.to.place(d, h, w),
                   result);
}

}  // namespace

const char* why_not_channels(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.self, plan.values)) return reason;
  if (plan.d.most_cells() * plan.h.most_cells() * plan.w.most_cells() > long_sum::kRun)
    return "windows have more than 4096 taps";
  return cuda::why_not_channel_packs(plan, plan.self, plan.values);
}

cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    const Means means = cuda::narrow_means<float>(
        plan, plan.self, plan.values, plan.c * sizeof(T) / kPackBytes, {plan.d.out, plan.h.out, plan.w.out});
    return cuda::start_kernel(pool_channels<T>, means, cuda::divide_up(means.items, kThreads), kThreads, 0,
                              launch.stream);
  });
}

}  // namespace cairn::mean_pool
