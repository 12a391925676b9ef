#include "ops/kit/cuda/cast.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/max_unpool_backward/cuda/gather.cuh"
#include "ops/max_unpool_backward/cuda/methods.h"

namespace cairn::max_unpool_backward {
namespace {

struct CastPlan {
  GatherPlan gather;
  cuda::Strides<std::int64_t> out_strides;
  DataType type;
  DataType out_type;
};

// One thread has one element. Which types they are makes no other kernel: memory takes longer than choosing.
template <typename Index>
__global__ void __launch_bounds__(kThreads) gather_and_cast(const __grid_constant__ CastPlan plan) {
  using UnsignedIndex = std::make_unsigned_t<Index>;
  const GatherPlan& from = plan.gather;
  cuda::let_next_kernel_come();
  const std::int64_t cell = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (cell >= from.count) return;
  const auto plane = static_cast<std::int64_t>(from.by_pooled.divide(static_cast<std::uint64_t>(cell)));
  const auto n = static_cast<std::int64_t>(from.by_c.divide(static_cast<std::uint64_t>(plane)));
  const std::int64_t c = plane - n * static_cast<std::int64_t>(from.by_c.divisor());
  const auto position =
      static_cast<std::uint64_t>(cell - plane * static_cast<std::int64_t>(from.by_pooled.divisor()));
  const auto place = [&](const cuda::Strides<std::int64_t>& strides) {
    return strides.slice(n, c) + cuda::flat_place(strides, position, from.pooled_h, from.pooled_w);
  };
  cuda::wait_for_kernel_before();
  const Index index = static_cast<const Index*>(from.indices)[place(from.index_strides)];
  const std::int64_t to = place(plan.out_strides);
  if (static_cast<UnsignedIndex>(index) < static_cast<UnsignedIndex>(from.index_limit)) {
    const std::int64_t at =
        from.output_strides.slice(n, c) +
        cuda::flat_place(from.output_strides, static_cast<std::uint64_t>(index), from.plane_h, from.plane_w);
    cuda::cast_element(plan.type, from.grad_output, at, plan.out_type, from.out, to);
    return;
  }
  // Of every type, 0 is bits of 0.
  cuda::by_element_size(plan.out_type, [&]<typename Bits>(cuda::Tag<Bits>) {
    static_cast<Bits*>(from.out)[to] = 0;
    return true;
  });
  if (index != Index{-1})
    cuda::report_fault(from.faults, cell, index, static_cast<std::int64_t>(from.plane_size));
}

}  // namespace

cudaError_t run_converted(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.n * plan.c * plan.pooled.count() == 0) return cudaSuccess;
  const CastPlan cast{gather_plan(plan, launch), cuda::strides_of<std::int64_t>(plan.out), plan.type,
                      plan.out_type};
  return cuda::by_index_type(plan.index_type, [&]<typename Index>(cuda::Tag<Index>) {
    return cuda::start_kernel(gather_and_cast<Index>, cast, cuda::divide_up(cast.gather.count, kThreads),
                              kThreads, 0, launch.stream);
  });
}

}  // namespace cairn::max_unpool_backward
