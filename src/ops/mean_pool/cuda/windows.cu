#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/kit/long_sum.h"
#include "ops/mean_pool/cuda/methods.h"
#include "ops/mean_pool/cuda/row_packs.h"

namespace cairn::mean_pool {
namespace {

constexpr int kThreads = 256;

using Means = cuda::NarrowMeans<float>;

// A thread sums a window. Up to Width taps of a row are under way at once, as packs of Count.
template <typename T, int Width, int Count>
__global__ void __launch_bounds__(kThreads) pool_windows(const __grid_constant__ Means plan) {
  cuda::let_next_kernel_come();
  const unsigned item = blockIdx.x * kThreads + threadIdx.x;
  if (item >= plan.items) return;
  cuda::Digits<std::uint32_t> digits{item};
  const auto w = static_cast<int>(digits.next(plan.by_w));
  const auto h = static_cast<int>(digits.next(plan.by_h));
  const auto d = static_cast<int>(digits.next(plan.by_d));
  const auto c = static_cast<int>(digits.next(plan.by_c));
  const auto n = static_cast<int>(digits.left);
  const cuda::Cells in_d = plan.d.cells(d);
  const cuda::Cells in_h = plan.h.cells(h);
  const cuda::Cells in_w = plan.w.cells(w);
  cuda::wait_for_kernel_before();
  const T* self = cuda::keep(static_cast<const T*>(plan.read) + plan.from.slice(n, c) +
                             plan.from.place(0, in_h.begin, in_w.begin));
  float sum = 0;
  for (int i = in_d.begin; i < in_d.end; ++i) {
    int row = i * plan.from.d;
#pragma unroll 4
    for (int j = in_h.begin; j < in_h.end; ++j, row += plan.from.h) {
      for (int k = 0; k < in_w.size(); k += Width) {
        cuda::Pack<T, Count> taps[Width / Count];
#pragma unroll
        for (int t = 0; t < Width / Count; ++t)
          taps[t] = cuda::load_pack_if<T, Count>(k + t * Count < in_w.size(),
                                                 self + (row + (k + t * Count) * plan.from.w));
#pragma unroll
        for (int t = 0; t < Width; ++t) sum += cuda::widen(taps[t / Count].at[t % Count]);
      }
    }
  }
  const float by = plan.divisor_of(d, h, w, in_d.size() * in_h.size() * in_w.size());
  static_cast<T*>(plan.written)[plan.to.slice(n, c) + plan.to.place(d, h, w)] = cuda::narrow<T>(sum / by);
}

}  // namespace

const char* why_not_windows(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.self, plan.values)) return reason;
  if (plan.d.most_cells() * plan.h.most_cells() * plan.w.most_cells() > long_sum::kLanes)
    return "windows have more than 64 taps";
  return nullptr;
}

cudaError_t run_windows(const Plan& plan, const cuda::CudaLaunch& launch) {
  const Means means =
      cuda::narrow_means<float>(plan, plan.self, plan.values, plan.c, {plan.d.out, plan.h.out, plan.w.out});
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    constexpr int kFull = 16 / sizeof(T);
    const auto kernel = rows_are_packs(plan, kFull) ? pool_windows<T, 8, kFull>
                        : plan.w.most_cells() <= 4  ? pool_windows<T, 4, 1>
                                                    : pool_windows<T, 10, 1>;
    return cuda::start_kernel(kernel, means, cuda::divide_up(means.items, kThreads), kThreads, 0,
                              launch.stream);
  });
}

}  // namespace cairn::mean_pool
