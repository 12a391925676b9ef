#include "ops/kit/cuda/mean_cells.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/mean_pool/cuda/methods.h"

namespace cairn::mean_pool {
namespace {

using cuda::MeanCells;

template <typename T>
__global__ void __launch_bounds__(MeanCells::kThreads) pool_cells(const __grid_constant__ MeanCells plan) {
  using Sum = cuda::Sum<T>;
  cuda::let_next_kernel_come();
  const std::uint64_t item = std::uint64_t{blockIdx.x} * MeanCells::kThreads + threadIdx.x;
  if (item >= plan.items) return;
  const auto place = plan.grid.template place_of<std::int64_t>(item, plan.slices_last);
  const T* from = plan.from.slice_of(static_cast<const T*>(plan.read), place.n, place.slice);
  cuda::wait_for_kernel_before();
  const Sum sum = cuda::sum_of_box<Sum>(plan.d.cells(place.d), plan.h.cells(place.h), plan.w.cells(place.w),
                                        [&](std::int64_t d, std::int64_t h, std::int64_t w) {
                                          return cuda::widen(from[plan.from.place(d, h, w)]);
                                        });
  plan.to.slice_of(static_cast<T*>(plan.written), place.n,
                   place.slice)[plan.to.place(place.d, place.h, place.w)] =
      cuda::narrow<T>(sum / RowDivisors<Sum>(plan, place.d, place.h).of(place.w));
}

}  // namespace

cudaError_t run_cells(const Plan& plan, const cuda::CudaLaunch& launch) {
  const MeanCells cells =
      cuda::mean_cells(plan, plan.self, plan.values, {plan.d.out, plan.h.out, plan.w.out});
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::start_mean_cells(pool_cells<T>, cells, launch.stream);
  });
}

}  // namespace cairn::mean_pool
