#include "ops/upsample_nearest/cuda/methods.h"
#include "ops/upsample_nearest/cuda/units.cuh"
#include "ops/upsample_nearest/cuda/units.h"

namespace cairn::upsample_nearest {
namespace {

template <typename Unit>
cudaError_t start(const Plan& plan, Order order, std::int64_t unit, const cuda::CudaLaunch& launch) {
  const bool narrow = is_narrow(plan) && are_few(items_of(copy_plan<int>(plan, order, unit, kSteps), plan.n));
  return cuda::by_coordinate(narrow, [&]<typename Coord>(cuda::Tag<Coord>) {
    return start_copies(copy_units<Unit, Coord>, copy_plan<Coord>(plan, order, unit, kSteps), plan.n, launch);
  });
}

}  // namespace

cudaError_t start_units(const Plan& plan, Order order, const cuda::CudaLaunch& launch) {
  return cuda::by_element_size(plan.type,
                               [&]<typename T>(cuda::Tag<T>) { return start<T>(plan, order, 1, launch); });
}

cudaError_t start_packs(const Plan& plan, Order order, const cuda::CudaLaunch& launch) {
  return start<uint4>(plan, order, kPackBytes / size_of(plan.type), launch);
}

cudaError_t run_units(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (is_empty(plan)) return cudaSuccess;
  return start_units(plan, Order::kRows, launch);
}

}  // namespace cairn::upsample_nearest
