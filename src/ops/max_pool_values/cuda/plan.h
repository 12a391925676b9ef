#pragma once

#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/max_pool_values/cuda/window.cuh"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values {

using LaneTypes = cuda::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t>;

// body(Tag<Lane>) for the signed integer of the type's size.
template <typename Body>
auto by_lane(const Plan& plan, const Body& body) {
  return cuda::first_type(
      LaneTypes{},
      [size = size_of(plan.type)]<typename Lane>(cuda::Tag<Lane>) { return sizeof(Lane) == size; }, body);
}

// Items: slices of an N, and in each so many along D, H and W.
template <typename Lane>
PoolPlan<Lane> pool_plan(const Plan& plan, std::int64_t slices, const Size3& items) {
  return {.self = plan.self.data,
          .values = plan.values.data,
          .keys = OrderKey<Lane>(plan.type),
          .axes = cuda::window_axes<std::int64_t>(plan),
          .from = cuda::strides_of<std::int64_t>(plan.self),
          .to = cuda::strides_of<std::int64_t>(plan.values),
          .grid = {slices, items},
          .items = static_cast<std::uint64_t>(plan.n * slices * items.count()),
          .slices_last = false};
}

template <typename Lane>
cudaError_t start(void (*kernel)(PoolPlan<Lane>), const PoolPlan<Lane>& plan,
                  const cuda::CudaLaunch& launch) {
  return cuda::start_kernel(kernel, plan, cuda::divide_up(static_cast<std::int64_t>(plan.items), kThreads),
                            kThreads, 0, launch.stream);
}

}  // namespace cairn::max_pool_values
