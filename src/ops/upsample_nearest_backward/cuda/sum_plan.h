#pragma once

#include <cstdint>

#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/upsample_nearest_backward/cuda/sum_plan.cuh"
#include "ops/upsample_nearest_backward/plan.h"

namespace cairn::upsample_nearest_backward {

inline constexpr int kPackBytes = 16;

inline bool is_empty(const Plan& plan) { return plan.n * plan.c * plan.in.count() == 0; }

// Whether ints can number threads and hold sizes and offsets in a plane. Rows are read two at a time, so a
// little beyond is computed.
inline bool is_narrow(const Plan& plan) {
  return plan.n * plan.c * plan.in.count() < INT32_MAX - kThreads &&
         cuda::is_narrow(plan.grad_out, plan.out) && cuda::is_narrow(plan.grad_input, plan.in);
}

// Whether every address `base + multiples of steps` starts a whole pack.
inline bool in_packs(const Plan& plan, const void* base, std::initializer_list<std::int64_t> steps) {
  return cuda::in_packs(base, size_of(plan.type), kPackBytes / size_of(plan.type), steps);
}

// `inner` cells, channels or packs of them are innermost in memory; threads take `outer` times as many for
// each row of cells.
template <typename Coord>
SumPlan<Coord> sum_plan(const Plan& plan, std::int64_t inner, std::int64_t outer) {
  using Divider = typename SumPlan<Coord>::Divider;
  SumPlan<Coord> sums{};
  sums.grad_out = plan.grad_out.data;
  sums.grad_input = plan.grad_input.data;
  sums.d = cuda::scale_axis<Coord>(plan.in.d, plan.out.d, plan.scale_d, plan.shift);
  sums.h = cuda::scale_axis<Coord>(plan.in.h, plan.out.h, plan.scale_h, plan.shift);
  sums.w = cuda::scale_axis<Coord>(plan.in.w, plan.out.w, plan.scale_w, plan.shift);
  sums.items = static_cast<Coord>(plan.n * plan.in.d * plan.in.h * outer * inner);
  sums.by_inner = Divider(inner);
  sums.by_w = Divider(plan.in.w);
  sums.by_h = Divider(plan.in.h);
  sums.by_d = Divider(plan.in.d);
  sums.by_c = Divider(plan.c);
  sums.from = cuda::strides_of<Coord>(plan.grad_out);
  sums.to = cuda::strides_of<Coord>(plan.grad_input);
  return sums;
}

template <typename Coord>
cudaError_t start_sums(void (*kernel)(SumPlan<Coord>), const SumPlan<Coord>& sums,
                       const cuda::CudaLaunch& launch) {
  return cuda::start_kernel(kernel, sums, cuda::divide_up(sums.items, kThreads), kThreads, 0, launch.stream);
}

template <typename Body>
auto by_type(const Plan& plan, const Body& body) {
  return cuda::by_type<cuda::FloatOrDoubleTypes>(plan.type, body);
}

}  // namespace cairn::upsample_nearest_backward
