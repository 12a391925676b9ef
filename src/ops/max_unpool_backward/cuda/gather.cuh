#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/fault.cuh"
#include "ops/kit/cuda/strides.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {

inline constexpr int kThreads = 256;

struct GatherPlan {
  using Divider = cuda::Divider<std::uint64_t>;

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
  cuda::Strides<std::int64_t> output_strides;  // c: between planes when they lie at even distances
  cuda::Strides<std::int64_t> index_strides;
  cuda::FaultSink faults;
};

inline GatherPlan gather_plan(const Plan& plan, const cuda::CudaLaunch& launch) {
  using Divider = GatherPlan::Divider;
  GatherPlan result{};
  result.grad_output = plan.grad_output.data;
  result.indices = plan.indices.data;
  result.out = plan.out.data;
  result.count = plan.n * plan.c * plan.pooled.count();
  result.plane_size = static_cast<std::uint64_t>(plan.unpooled.count());
  result.index_limit = result.plane_size;
  if (plan.index_type == DataType::kInt32)
    result.index_limit = std::min<std::uint64_t>(result.index_limit, std::uint64_t{1} << 31);
  result.by_pooled = Divider(plan.pooled.count());
  result.by_c = Divider(plan.c);
  result.pooled_h = Divider(plan.pooled.h);
  result.pooled_w = Divider(plan.pooled.w);
  result.plane_h = Divider(std::max<std::int64_t>(plan.unpooled.h, 1));
  result.plane_w = Divider(std::max<std::int64_t>(plan.unpooled.w, 1));
  result.output_strides = cuda::strides_of<std::int64_t>(plan.grad_output);
  result.index_strides = cuda::strides_of<std::int64_t>(plan.indices);
  result.faults = cuda::fault_sink(launch);
  return result;
}

// Dense: indices lie as out does, and gradOutput is planes of even distance, each without gaps.
template <typename T, typename Index, int Count, bool Dense>
__global__ void __launch_bounds__(kThreads) gather(const __grid_constant__ GatherPlan plan) {
  using UnsignedIndex = std::make_unsigned_t<Index>;
  cuda::let_next_kernel_come();
  const std::int64_t first = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) * Count;
  if (first >= plan.count) return;
  const auto plane = static_cast<std::int64_t>(plan.by_pooled.divide(static_cast<std::uint64_t>(first)));
  cuda::wait_for_kernel_before();
  const T* values = static_cast<const T*>(plan.grad_output);
  cuda::Pack<Index, Count> index;
  if constexpr (Dense) {
    values += plane * plan.output_strides.c;
    index = cuda::load_pack<Index, Count>(static_cast<const Index*>(plan.indices) + first);
  } else {
    const auto n = static_cast<std::int64_t>(plan.by_c.divide(static_cast<std::uint64_t>(plane)));
    const std::int64_t c = plane - n * static_cast<std::int64_t>(plan.by_c.divisor());
    const std::int64_t position = first - plane * static_cast<std::int64_t>(plan.by_pooled.divisor());
    values += plan.output_strides.slice(n, c);
    const auto* indices = static_cast<const Index*>(plan.indices) + plan.index_strides.slice(n, c);
    index.at[0] = indices[cuda::flat_place(plan.index_strides, static_cast<std::uint64_t>(position),
                                           plan.pooled_h, plan.pooled_w)];
  }
  cuda::Pack<T, Count> found;
  bool outside = false;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    found.at[i] = T{};
    if (static_cast<UnsignedIndex>(index.at[i]) < static_cast<UnsignedIndex>(plan.index_limit)) {
      const auto at = static_cast<std::uint64_t>(index.at[i]);
      found.at[i] = values[Dense ? static_cast<std::int64_t>(at)
                                 : cuda::flat_place(plan.output_strides, at, plan.plane_h, plan.plane_w)];
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

}  // namespace cairn::max_unpool_backward
