#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/ptx.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/kit/long_sum.h"
#include "ops/mean_pool/cuda/methods.h"

namespace cairn::mean_pool {
namespace {

constexpr int kThreads = 128;
constexpr int kPackBytes = 16;

struct StagedPlan {
  const void* self;
  void* values;
  int taps;
  int pitch;   // of a window in shared memory
  bool packs;  // a window is packs of 16 bytes
  float divisor;
  std::int64_t windows;
  cuda::Divider<std::uint32_t> by_packs;  // of a window
};

// Copies windows to shared memory as they follow each other. Where they are packs, one is left out after each
// window, so that the threads of a quarter warp meet no bank twice.
template <typename T>
__device__ void stage(const StagedPlan& plan, const T* self, int elements, T* staged) {
  constexpr int kCount = kPackBytes / sizeof(T);
  const int packs = elements / kCount;
  for (int i = threadIdx.x; i < packs; i += kThreads) {
    const int window = plan.packs ? static_cast<int>(plan.by_packs.divide(i)) : 0;
    cuda::copy_async(staged + (i + window) * kCount, self + i * kCount);
  }
  for (int i = packs * kCount + static_cast<int>(threadIdx.x); i < elements; i += kThreads)
    staged[i] = self[i];
  cuda::wait_for_copies();
  __syncthreads();
}

// Windows that follow each other without gaps: a block brings as many as it has threads into shared memory.
template <typename T>
__global__ void __launch_bounds__(kThreads) pool_staged(const __grid_constant__ StagedPlan plan) {
  constexpr int kCount = kPackBytes / sizeof(T);
  CAIRN_SHARED_MEMORY(unsigned char, shared_bytes);
  T* staged = reinterpret_cast<T*>(shared_bytes);
  cuda::let_next_kernel_come();
  const std::int64_t first = std::int64_t{blockIdx.x} * kThreads;
  const auto windows = static_cast<int>(min(std::int64_t{kThreads}, plan.windows - first));
  cuda::wait_for_kernel_before();
  stage(plan, static_cast<const T*>(plan.self) + first * plan.taps, windows * plan.taps, staged);
  if (threadIdx.x >= windows) return;
  float sum = 0;
  const T* mine = staged + threadIdx.x * plan.pitch;
  if (plan.packs) {
    for (int t = 0; t < plan.taps; t += kCount) {
      const auto pack = cuda::load_pack<T, kCount>(mine + t);
#pragma unroll
      for (const T tap : pack.at) sum += cuda::widen(tap);
    }
  } else {
#pragma unroll 8
    for (int t = 0; t < plan.taps; ++t) sum += cuda::widen(mine[t]);
  }
  static_cast<T*>(plan.values)[first + threadIdx.x] = cuda::narrow<T>(sum / plan.divisor);
}

}  // namespace

const char* why_not_staged(const Plan& plan) {
  if (plan.n * plan.c == 0) return "there are no windows";
  const bool whole = cuda::is_along_w(plan) && plan.w.is_whole() && plan.divisor.is_one();
  if (!whole || !is_dense(plan.self, plan.n, plan.c, {1, 1, plan.w.in}) ||
      !is_dense(plan.values, plan.n, plan.c, {1, 1, 1}))
    return "windows are not planes that follow each other";
  if (plan.w.in > long_sum::kLanes) return "windows have more than 64 taps";
  if (plan.w.in < 4) return "windows are small";
  const bool aligned = reinterpret_cast<std::uintptr_t>(plan.self.data) % kPackBytes == 0;
  return aligned ? nullptr : "planes do not begin with a pack of 16 bytes";
}

cudaError_t run_staged(const Plan& plan, const cuda::CudaLaunch& launch) {
  const auto taps = static_cast<int>(plan.w.in);
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    constexpr int kCount = kPackBytes / sizeof(T);
    const bool packs = taps % kCount == 0;
    const StagedPlan staged{.self = plan.self.data,
                            .values = plan.values.data,
                            .taps = taps,
                            .pitch = packs ? taps + kCount : taps,
                            .packs = packs,
                            .divisor = static_cast<float>(plan.divisor.given[0]),
                            .windows = plan.n * plan.c,
                            .by_packs = cuda::Divider<std::uint32_t>(packs ? taps / kCount : 1)};
    return cuda::start_kernel(pool_staged<T>, staged, cuda::divide_up(staged.windows, kThreads), kThreads,
                              sizeof(T) * kThreads * staged.pitch, launch.stream);
  });
}

}  // namespace cairn::mean_pool
