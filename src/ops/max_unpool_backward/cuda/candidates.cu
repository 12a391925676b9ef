#include <algorithm>
#include <array>

#include "ops/candidate.h"
#include "ops/kit/cpu/merged_plane.h"
#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/fault.cuh"
#include "ops/max_unpool_backward/cuda/candidates.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {
namespace {

constexpr int kThreads = 256;

using Divider = cuda::Divider<std::uint64_t>;

struct Strides {
  std::int64_t n, c, d, h, w;
};

struct GatherPlan {
  const void* grad_output;
  const void* indices;
  void* out;
  std::int64_t count;  // elements of out
  std::uint64_t plane_size;
  std::uint64_t index_limit;  // plane_size, or less where the index type cannot say more
  Divider by_pooled;
  Divider by_c;
  Divider pooled_h;
  Divider pooled_w;
  Divider plane_h;
  Divider plane_w;
  Strides output_strides;  // c: between planes when they lie at even distances
  Strides index_strides;
  cuda::FaultSink faults;
};

__device__ std::int64_t offset_in(const Strides& strides, std::uint64_t position, const Divider& by_h,
                                  const Divider& by_w) {
  const std::uint64_t row = by_w.divide(position);
  const std::uint64_t d = by_h.divide(row);
  return static_cast<std::int64_t>(d) * strides.d +
         static_cast<std::int64_t>(row - d * by_h.divisor()) * strides.h +
         static_cast<std::int64_t>(position - row * by_w.divisor()) * strides.w;
}

// Even: indices lie as out does, and gradOutput is planes of even distance, each without gaps.
template <typename T, typename Index, int Count, bool Even>
__global__ void __launch_bounds__(kThreads) gather(const __grid_constant__ GatherPlan plan) {
  using UnsignedIndex = std::make_unsigned_t<Index>;
  cuda::let_next_kernel_come();
  const std::int64_t first = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) * Count;
  if (first >= plan.count) return;
  const auto plane = static_cast<std::int64_t>(plan.by_pooled.divide(static_cast<std::uint64_t>(first)));
  cuda::wait_for_kernel_before();
  const T* values = static_cast<const T*>(plan.grad_output);
  cuda::Pack<Index, Count> index;
  if constexpr (Even) {
    values += plane * plan.output_strides.c;
    index = cuda::load_pack<Index, Count>(static_cast<const Index*>(plan.indices) + first);
  } else {
    const auto n = static_cast<std::int64_t>(plan.by_c.divide(static_cast<std::uint64_t>(plane)));
    const std::int64_t c = plane - n * static_cast<std::int64_t>(plan.by_c.divisor());
    const std::int64_t position = first - plane * static_cast<std::int64_t>(plan.by_pooled.divisor());
    values += n * plan.output_strides.n + c * plan.output_strides.c;
    index.at[0] = static_cast<const Index*>(
        plan.indices)[n * plan.index_strides.n + c * plan.index_strides.c +
                      offset_in(plan.index_strides, static_cast<std::uint64_t>(position), plan.pooled_h,
                                plan.pooled_w)];
  }
  cuda::Pack<T, Count> found;
  bool outside = false;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    found.at[i] = T{};
    if (static_cast<UnsignedIndex>(index.at[i]) < static_cast<UnsignedIndex>(plan.index_limit)) {
      const auto at = static_cast<std::uint64_t>(index.at[i]);
      found.at[i] = values[Even ? static_cast<std::int64_t>(at)
                                : offset_in(plan.output_strides, at, plan.plane_h, plan.plane_w)];
    } else {
      outside |= index.at[i] != Index{-1};
    }
  }
  cuda::store_pack(static_cast<T*>(plan.out) + first, found);
  if (!outside) return;
  for (int i = 0; i < Count; ++i) {
    const Index value = index.at[i];
    if (static_cast<UnsignedIndex>(value) < static_cast<UnsignedIndex>(plan.index_limit) ||
        value == Index{-1})
      continue;
    cuda::report_fault(plan.faults, first + i, value, static_cast<std::int64_t>(plan.plane_size));
    return;
  }
}

template <typename T, typename Index, int Count, bool Even>
cudaError_t start(const GatherPlan& plan, const cuda::CudaLaunch& launch) {
  const std::int64_t threads = (plan.count + Count - 1) / Count;
  return cuda::start_kernel(gather<T, Index, Count, Even>, plan, (threads + kThreads - 1) / kThreads,
                            kThreads, 0, launch.stream);
}

// One run without gaps, and planes at even distances.
bool is_even(const View5& view, const Size3& size, std::int64_t n, std::int64_t c) {
  const MergedPlane plane = merge_plane(size, view);
  const bool dense = plane.is_one_run() && (plane.stride_w == 1 || size.count() == 1);
  return dense && (n == 1 || c == 1 || view.n == c * view.c);
}

Strides strides_of(const View5& view) { return {view.n, view.c, view.d, view.h, view.w}; }

template <typename T, typename Index>
cudaError_t launch_typed(const Plan& plan, const cuda::CudaLaunch& launch) {
  constexpr int kCount = sizeof(T) == 8 ? 2 : 4;
  const std::int64_t pooled = plan.pooled.count();
  const std::int64_t plane = plan.unpooled.count();
  GatherPlan result{};
  result.grad_output = plan.grad_output.data;
  result.indices = plan.indices.data;
  result.out = plan.out.data;
  result.count = plan.n * plan.c * pooled;
  result.plane_size = static_cast<std::uint64_t>(plane);
  result.index_limit = result.plane_size;
  if (sizeof(Index) == 4)
    result.index_limit = std::min<std::uint64_t>(result.index_limit, std::uint64_t{1} << 31);
  result.by_pooled = Divider(pooled);
  result.by_c = Divider(plan.c);
  result.pooled_h = Divider(plan.pooled.h);
  result.pooled_w = Divider(plan.pooled.w);
  result.plane_h = Divider(std::max<std::int64_t>(plan.unpooled.h, 1));
  result.plane_w = Divider(std::max<std::int64_t>(plan.unpooled.w, 1));
  result.output_strides = strides_of(plan.grad_output);
  result.index_strides = strides_of(plan.indices);
  result.faults = cuda::fault_sink(launch);

  const auto aligned = [](const void* address, std::size_t bytes) {
    return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
  };
  const bool indices_follow =
      is_even(plan.indices, plan.pooled, plan.n, plan.c) &&
      (plan.n * plan.c == 1 || (plan.c == 1 ? plan.indices.n : plan.indices.c) == pooled);
  if (!indices_follow || !is_even(plan.grad_output, plan.unpooled, plan.n, plan.c))
    return start<T, Index, 1, false>(result, launch);
  if (plan.c == 1) result.output_strides.c = plan.grad_output.n;
  const bool packs = pooled % kCount == 0 && aligned(plan.out.data, kCount * sizeof(T)) &&
                     aligned(plan.indices.data, kCount * sizeof(Index));
  return packs ? start<T, Index, kCount, true>(result, launch) : start<T, Index, 1, true>(result, launch);
}

template <typename T>
cudaError_t launch_indexed(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.index_type == DataType::kInt32) return launch_typed<T, std::int32_t>(plan, launch);
  return launch_typed<T, std::int64_t>(plan, launch);
}

cudaError_t launch(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.n * plan.c * plan.pooled.count() == 0) return cudaSuccess;
  switch (size_of(plan.type)) {
    case 1:
      return launch_indexed<std::uint8_t>(plan, launch);
    case 2:
      return launch_indexed<std::uint16_t>(plan, launch);
    case 4:
      return launch_indexed<std::uint32_t>(plan, launch);
    case 8:
      return launch_indexed<std::uint64_t>(plan, launch);
    default:
      return cudaErrorInvalidValue;
  }
}

constexpr std::array kCandidates = {candidate<nothing<Plan>, launch>("all")};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::max_unpool_backward
