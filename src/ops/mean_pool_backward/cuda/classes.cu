#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/mean_pool_backward/cuda/methods.h"

namespace cairn::mean_pool_backward {
namespace {

constexpr int kThreads = 256;
constexpr int kPackBytes = 16;
constexpr std::int64_t kMostCells = 8192;    // of a plane
constexpr std::int64_t kMostClasses = 2048;  // of a plane
constexpr std::int64_t kManyBlocks = 1024;
constexpr std::int64_t kBlockBytes = 40 << 10;

// Along an axis a cell lies in one window or in two, so there are 2·out - 1 classes of cells at most: class
// 2·o are those in window o alone, class 2·o + 1 those in o and the next.
__device__ int class_of(const cuda::Cells& windows) { return windows.begin + windows.end - 1; }
__device__ cuda::Cells windows_of(int number) { return {number / 2, (number + 3) / 2}; }

template <typename Sum>
struct ClassPlan : cuda::NarrowMeans<Sum> {  // by_d, by_h, by_w: cells
  cuda::Divider<std::uint32_t> by_cells, by_windows, by_out_h, by_out_w, by_classes, by_classes_h,
      by_classes_w;
  unsigned cells, windows, classes;  // of a plane
  unsigned classes_h, classes_w;
  unsigned slices, all_slices;  // of a block, in all
};

// The share of every window of the block's planes.
template <typename T, typename Sum = cuda::Sum<T>>
__device__ void compute_shares(const ClassPlan<Sum>& plan, unsigned first, unsigned slices, Sum* shares) {
  for (unsigned i = threadIdx.x; i < slices * plan.windows; i += kThreads) {
    cuda::Digits<std::uint32_t> digits{i};
    const auto w = static_cast<int>(digits.next(plan.by_out_w));
    const auto h = static_cast<int>(digits.next(plan.by_out_h));
    const unsigned slice = plan.by_windows.divide(i);
    const auto d = static_cast<int>(digits.left - slice * static_cast<unsigned>(plan.d.out));
    const auto n = static_cast<int>(plan.by_c.divide(first + slice));
    const auto c = static_cast<int>(plan.by_c.rest(first + slice, n));
    const T* from = static_cast<const T*>(plan.read) + plan.from.slice(n, c) + plan.from.place(d, h, w);
    shares[i] = cuda::widen(*from) / plan.divisor_of(d, h, w);
  }
}

// The sum of every class of cells, from those.
template <typename T, typename Sum = cuda::Sum<T>>
__device__ void compute_sums(const ClassPlan<Sum>& plan, unsigned slices, const Sum* shares, T* sums) {
  for (unsigned i = threadIdx.x; i < slices * plan.classes; i += kThreads) {
    cuda::Digits<std::uint32_t> digits{i};
    const cuda::Cells of_w = windows_of(static_cast<int>(digits.next(plan.by_classes_w)));
    const cuda::Cells of_h = windows_of(static_cast<int>(digits.next(plan.by_classes_h)));
    const unsigned slice = plan.by_classes.divide(i);
    const cuda::Cells of_d =
        windows_of(static_cast<int>(digits.left - slice * (plan.classes / plan.classes_h / plan.classes_w)));
    Sum sum = 0;
    for (int d = of_d.begin; d < of_d.end; ++d)
      for (int h = of_h.begin; h < of_h.end; ++h)
        for (int w = of_w.begin; w < of_w.end; ++w)
          sum += shares[slice * plan.windows + static_cast<unsigned>((d * plan.h.out + h) * plan.w.out + w)];
    sums[i] = cuda::narrow<T>(sum);
  }
}

// Cells of a class have the same windows, and the same sum: a block computes each once and then writes packs
// of cells, which may belong to two rows or planes.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    write_classes(const __grid_constant__ ClassPlan<cuda::Sum<T>> plan) {
  constexpr unsigned kCount = kPackBytes / sizeof(T);
  constexpr unsigned kGroup = kCount;  // planes, which begin and end with a pack
  using Sum = cuda::Sum<T>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto* shares = reinterpret_cast<Sum*>(shared_bytes);
  T* sums = reinterpret_cast<T*>(shares + plan.slices * plan.windows);
  auto* class_at = reinterpret_cast<unsigned short*>(sums + plan.slices * plan.classes);
  cuda::let_next_kernel_come();
  const unsigned first = blockIdx.x * plan.slices;
  const unsigned slices = min(plan.slices, plan.all_slices - first);
  for (unsigned cell = threadIdx.x; cell < plan.cells; cell += kThreads) {
    cuda::Digits<std::uint32_t> digits{cell};
    const int w = class_of(plan.w.windows(static_cast<int>(digits.next(plan.by_w))));
    const int h = class_of(plan.h.windows(static_cast<int>(digits.next(plan.by_h))));
    const auto d = static_cast<unsigned>(class_of(plan.d.windows(static_cast<int>(digits.left))));
    class_at[cell] = static_cast<unsigned short>((d * plan.classes_h + h) * plan.classes_w + w);
  }
  cuda::wait_for_kernel_before();
  compute_shares<T>(plan, first, slices, shares);
  __syncthreads();
  compute_sums<T>(plan, slices, shares, sums);
  __syncthreads();
  T* to = static_cast<T*>(plan.written) + std::int64_t{first} * plan.cells;
  // Packs lie alike in every group of planes, so a thread knows its cells' classes for all of them.
  for (unsigned place = threadIdx.x * kCount; place < kGroup * plan.cells; place += kThreads * kCount) {
    unsigned at[kCount];
    const unsigned slice = plan.by_cells.divide(place);
    unsigned in_plane = plan.by_cells.rest(place, slice);
    unsigned base = slice * plan.classes;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i, ++in_plane) {
      if (in_plane == plan.cells) in_plane = 0, base += plan.classes;
      at[i] = base + class_at[in_plane];
    }
    const T* group = sums;
    for (unsigned cell = place; cell < slices * plan.cells;
         cell += kGroup * plan.cells, group += kGroup * plan.classes) {
      cuda::Pack<T, kCount> pack;
#pragma unroll
      for (unsigned i = 0; i < kCount; ++i) pack.at[i] = group[at[i]];
      cuda::store_pack(to + cell, pack);
    }
  }
}

std::int64_t classes_of(const MeanAxis& axis) { return 2 * axis.out - 1; }

// Bytes of shared memory for so many planes.
std::int64_t bytes_of(const Plan& plan, std::int64_t slices) {
  const std::int64_t windows = plan.d.out * plan.h.out * plan.w.out;
  const std::int64_t classes = classes_of(plan.d) * classes_of(plan.h) * classes_of(plan.w);
  const auto size = static_cast<std::int64_t>(size_of(plan.type));
  return slices * (windows * std::max<std::int64_t>(size, 4) + classes * size) +
         plan.d.in * plan.h.in * plan.w.in * 2;
}
// Whole groups of planes, and more of them where that leaves blocks enough: every block finds the classes.
std::int64_t slices_of(const Plan& plan) {
  constexpr std::int64_t kStep = 8;
  std::int64_t slices = kStep;
  while (plan.n * plan.c / slices / 2 >= kManyBlocks && bytes_of(plan, slices * 2) <= kBlockBytes)
    slices *= 2;
  return slices;
}

}  // namespace

const char* why_not_classes(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.grad_input, plan.grad_output)) return reason;
  const auto one_or_two = [](const MeanAxis& axis) {
    return (axis.is_adaptive() && axis.in >= axis.out) || axis.is_whole() ||
           (axis.kernel == axis.stride && axis.padding == 0 && axis.out * axis.stride >= axis.in);
  };
  if (!one_or_two(plan.d) || !one_or_two(plan.h) || !one_or_two(plan.w))
    return "cells are not in one window or two along each axis";
  const Size3 in{plan.d.in, plan.h.in, plan.w.in};
  if (!is_dense(plan.grad_input, plan.n, plan.c, in)) return "there are gaps between cells";
  const std::int64_t classes = classes_of(plan.d) * classes_of(plan.h) * classes_of(plan.w);
  if (in.count() > kMostCells || classes > kMostClasses || bytes_of(plan, slices_of(plan)) > kBlockBytes)
    return "planes are large";
  if (classes * 4 > in.count()) return "few cells have the same windows";
  const std::int64_t count = kPackBytes / static_cast<std::int64_t>(size_of(plan.type));
  const bool packs =
      plan.n * plan.c * in.count() % count == 0 && cuda::in_packs(plan.grad_input.data, 1, kPackBytes, {});
  return packs ? nullptr : "cells do not lie in packs of 16 bytes";
}

cudaError_t run_classes(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_real_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    using Divider = cuda::Divider<std::uint32_t>;
    const std::int64_t cells = plan.d.in * plan.h.in * plan.w.in;
    const std::int64_t windows = plan.d.out * plan.h.out * plan.w.out;
    const std::int64_t classes = classes_of(plan.d) * classes_of(plan.h) * classes_of(plan.w);
    const std::int64_t slices = slices_of(plan);
    ClassPlan<cuda::Sum<T>> it;
    static_cast<cuda::NarrowMeans<cuda::Sum<T>>&>(it) = cuda::narrow_means<cuda::Sum<T>>(
        plan, plan.grad_output, plan.grad_input, plan.c, {plan.d.in, plan.h.in, plan.w.in});
    it.by_cells = Divider(cells);
    it.by_windows = Divider(windows);
    it.by_out_h = Divider(plan.h.out);
    it.by_out_w = Divider(plan.w.out);
    it.by_classes = Divider(classes);
    it.by_classes_h = Divider(classes_of(plan.h));
    it.by_classes_w = Divider(classes_of(plan.w));
    it.cells = static_cast<unsigned>(cells);
    it.windows = static_cast<unsigned>(windows);
    it.classes = static_cast<unsigned>(classes);
    it.classes_h = static_cast<unsigned>(classes_of(plan.h));
    it.classes_w = static_cast<unsigned>(classes_of(plan.w));
    it.slices = static_cast<unsigned>(slices);
    it.all_slices = static_cast<unsigned>(plan.n * plan.c);
    return cuda::start_kernel(write_classes<T>, it, cuda::divide_up(plan.n * plan.c, slices), kThreads,
                              static_cast<std::size_t>(bytes_of(plan, slices)), launch.stream);
  });
}

}  // namespace cairn::mean_pool_backward
