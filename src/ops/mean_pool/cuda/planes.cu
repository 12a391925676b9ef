#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/copy_async.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/kit/long_sum.h"
#include "ops/mean_pool/cuda/methods.h"

namespace cairn::mean_pool {
namespace {

constexpr int kThreads = 256;
constexpr int kPackBytes = 16;
constexpr std::int64_t kBlockBytes = 44 << 10;
constexpr std::int64_t kStep = 8;  // planes, which begin and end with a pack whatever they have

struct PlanesPlan : cuda::NarrowMeans<float> {
  unsigned cells, windows;      // of a plane
  unsigned slices, all_slices;  // of a block, in all
};

// Windows that share cells, or begin anywhere: a block copies planes that follow each other as they are, and
// its threads sum a window each from shared memory.
template <typename T>
__global__ void __launch_bounds__(kThreads) pool_planes(const __grid_constant__ PlanesPlan plan) {
  constexpr unsigned kCount = kPackBytes / sizeof(T);
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  T* staged = reinterpret_cast<T*>(shared_bytes);
  cuda::let_next_kernel_come();
  const unsigned first = blockIdx.x * plan.slices;
  const unsigned slices = min(plan.slices, plan.all_slices - first);
  const unsigned elements = slices * plan.cells;
  cuda::wait_for_kernel_before();
  const T* self = static_cast<const T*>(plan.read) + std::int64_t{first} * plan.cells;
  for (unsigned i = threadIdx.x * kCount; i + kCount <= elements; i += kThreads * kCount)
    cuda::copy_async(staged + i, self + i);
  for (unsigned i = elements / kCount * kCount + threadIdx.x; i < elements; i += kThreads)
    staged[i] = self[i];
  cuda::wait_for_copies();
  __syncthreads();
  for (unsigned window = threadIdx.x; window < slices * plan.windows; window += kThreads) {
    cuda::Digits<std::uint32_t> digits{window};
    const auto w = static_cast<int>(digits.next(plan.by_w));
    const auto h = static_cast<int>(digits.next(plan.by_h));
    const auto d = static_cast<int>(digits.next(plan.by_d));
    const cuda::Cells in_d = plan.d.cells(d);
    const cuda::Cells in_h = plan.h.cells(h);
    const cuda::Cells in_w = plan.w.cells(w);
    const T* plane = staged + digits.left * plan.cells;
    float sum = 0;
    for (int i = in_d.begin; i < in_d.end; ++i) {
      for (int j = in_h.begin; j < in_h.end; ++j) {
        const T* row = plane + (i * plan.h.in + j) * plan.w.in;
#pragma unroll 4
        for (int k = in_w.begin; k < in_w.end; ++k) sum += cuda::widen(row[k]);
      }
    }
    const unsigned slice = first + digits.left;
    const auto n = static_cast<int>(plan.by_c.divide(slice));
    const auto c = static_cast<int>(plan.by_c.rest(slice, n));
    const float by = plan.divisor_of(d, h, w, in_d.size() * in_h.size() * in_w.size());
    static_cast<T*>(plan.written)[plan.to.slice(n, c) + plan.to.place(d, h, w)] = cuda::narrow<T>(sum / by);
  }
}

std::int64_t bytes_of(const Plan& plan, std::int64_t slices) {
  return slices * plan.d.in * plan.h.in * plan.w.in * static_cast<std::int64_t>(size_of(plan.type));
}

// Whole planes in packs, enough of them to give most threads a window.
std::int64_t slices_of(const Plan& plan) {
  const std::int64_t windows = plan.d.out * plan.h.out * plan.w.out;
  std::int64_t slices = bytes_of(plan, 1) % kPackBytes == 0 ? 1 : kStep;
  while (slices * windows < kThreads * 3 / 4 && bytes_of(plan, slices * 2) <= kBlockBytes) slices *= 2;
  return slices;
}

}  // namespace

const char* why_not_planes(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.self, plan.values)) return reason;
  if (plan.d.most_cells() * plan.h.most_cells() * plan.w.most_cells() > long_sum::kLanes)
    return "windows have more than 64 taps";
  if (plan.w.all_inside() &&
      plan.w.stride % (kPackBytes / static_cast<std::int64_t>(size_of(plan.type))) == 0)
    return "windows begin with packs";
  if (!is_dense(plan.self, plan.n, plan.c, {plan.d.in, plan.h.in, plan.w.in}))
    return "there are gaps between cells";
  const std::int64_t slices = slices_of(plan);
  if (bytes_of(plan, slices) > kBlockBytes || slices * plan.d.out * plan.h.out * plan.w.out < kThreads / 2)
    return "planes are large";
  return cuda::in_packs(plan.self.data, 1, kPackBytes, {}) ? nullptr : "cells do not begin with a pack";
}

cudaError_t run_planes(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    PlanesPlan planes;
    static_cast<cuda::NarrowMeans<float>&>(planes) =
        cuda::narrow_means<float>(plan, plan.self, plan.values, plan.c, {plan.d.out, plan.h.out, plan.w.out});
    planes.cells = static_cast<unsigned>(plan.d.in * plan.h.in * plan.w.in);
    planes.windows = static_cast<unsigned>(plan.d.out * plan.h.out * plan.w.out);
    planes.slices = static_cast<unsigned>(slices_of(plan));
    planes.all_slices = static_cast<unsigned>(plan.n * plan.c);
    return cuda::start_kernel(pool_planes<T>, planes, cuda::divide_up(planes.all_slices, planes.slices),
                              kThreads, static_cast<std::size_t>(bytes_of(plan, planes.slices)),
                              launch.stream);
  });
}

}  // namespace cairn::mean_pool
