#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/max_pool_backward/cuda/methods.h"

namespace cairn::max_pool_backward {
namespace {

constexpr int kBlock = 256;

// Windows along an axis, which have one tap each and no padding.
struct Starts {
  cuda::Divider<std::uint64_t> stride;
  std::int64_t windows;

  // The window that starts at a cell, -1 if none does.
  __device__ std::int64_t at(std::int64_t cell) const {
    const std::uint64_t window = stride.divide(static_cast<std::uint64_t>(cell));
    const bool starts = stride.rest(static_cast<std::uint64_t>(cell), window) == 0;
    return starts && static_cast<std::int64_t>(window) < windows ? static_cast<std::int64_t>(window) : -1;
  }
};

struct SingleTapPlan {
  const void* grad_output;
  void* grad_input;
  cuda::Strides<std::int64_t> from;
  cuda::Strides<std::int64_t> to;
  cuda::Grid<std::uint64_t> grid;  // of cells
  Starts d, h, w;
  std::uint64_t cells;
};

template <typename T>
__global__ void __launch_bounds__(kBlock) place_single_taps(const __grid_constant__ SingleTapPlan plan) {
  cuda::let_next_kernel_come();
  const std::uint64_t cell = std::uint64_t{blockIdx.x} * kBlock + threadIdx.x;
  if (cell >= plan.cells) return;
  const cuda::Place<std::int64_t> place = plan.grid.template place_of<std::int64_t>(cell, false);
  const std::int64_t d = plan.d.at(place.d);
  const std::int64_t h = plan.h.at(place.h);
  const std::int64_t w = plan.w.at(place.w);
  cuda::wait_for_kernel_before();
  cuda::Sum<T> sum = 0;
  if (d >= 0 && h >= 0 && w >= 0) {
    const T* gradients = plan.from.slice_of(static_cast<const T*>(plan.grad_output), place.n, place.slice);
    sum += cuda::widen(gradients[plan.from.place(d, h, w)]);
  }
  T* to = plan.to.slice_of(static_cast<T*>(plan.grad_input), place.n, place.slice);
  to[plan.to.place(place.d, place.h, place.w)] = cuda::narrow<T>(sum);
}

}  // namespace

cudaError_t run_single_taps(const Plan& plan, const cuda::CudaLaunch& launch) {
  const std::int64_t cells = plan.n * plan.c * plan.in.count();
  if (cells == 0) return cudaSuccess;
  const auto starts = [&plan](auto axis) {
    return Starts{cuda::Divider<std::uint64_t>(plan.stride.*axis), plan.out.*axis};
  };
  SingleTapPlan result{};
  result.grad_output = plan.grad_output.data;
  result.grad_input = plan.grad_input.data;
  result.from = cuda::strides_of<std::int64_t>(plan.grad_output);
  result.to = cuda::strides_of<std::int64_t>(plan.grad_input);
  result.grid = {plan.c, plan.in};
  result.d = starts(&Size3::d);
  result.h = starts(&Size3::h);
  result.w = starts(&Size3::w);
  result.cells = static_cast<std::uint64_t>(cells);
  return cuda::by_real_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::start_kernel(place_single_taps<T>, result, cuda::divide_up(cells, kBlock), kBlock, 0,
                              launch.stream);
  });
}

}  // namespace cairn::max_pool_backward
