#include "ops/upsample_nearest/cuda/copy_plan.h"
#include "ops/upsample_nearest/cuda/methods.h"
#include "ops/upsample_nearest/cuda/units.cuh"

namespace cairn::upsample_nearest {
namespace {

template <typename Unit>
cudaError_t start(const Plan& plan, Order order, std::int64_t unit, const cuda::CudaLaunch& launch) {
  const bool narrow = is_narrow(plan) && are_few(items_of(copy_plan<int>(plan, order, unit, kSteps), plan.n));
  return cuda::by_coordinate(narrow, [&]<typename Coord>(cuda::Tag<Coord>) {
    return start_copies(copy_units<Unit, Coord>, copy_plan<Coord>(plan, order, unit, kSteps), plan.n, launch);
  });
}

cudaError_t start_units(const Plan& plan, Order order, const cuda::CudaLaunch& launch) {
  return cuda::by_element_size(plan.type,
                               [&]<typename T>(cuda::Tag<T>) { return start<T>(plan, order, 1, launch); });
}

cudaError_t start_packs(const Plan& plan, Order order, const cuda::CudaLaunch& launch) {
  return start<uint4>(plan, order, kPackBytes / size_of(plan.type), launch);
}

}  // namespace

const char* why_not_channels(const Plan& plan) {
  if (is_empty(plan)) return "there is nothing to copy";
  const bool last = plan.c > 1 && plan.self.c == 1 && plan.values.c == 1;
  return last ? nullptr : "channels are not neighbours in memory";
}

const char* why_not_channel_packs(const Plan& plan) {
  if (const char* reason = why_not_channels(plan)) return reason;
  const View5& from = plan.self;
  const View5& to = plan.values;
  const int element = size_of(plan.type);
  const int count = kPackBytes / element;
  const bool packs = cuda::in_packs(from.data, element, count, {plan.c, from.n, from.d, from.h, from.w}) &&
                     cuda::in_packs(to.data, element, count, {to.n, to.d, to.h, to.w});
  return packs ? nullptr : "channels do not lie in packs of 16 bytes";
}

cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  return start_units(plan, Order::kChannels, launch);
}

cudaError_t run_channel_packs(const Plan& plan, const cuda::CudaLaunch& launch) {
  return start_packs(plan, Order::kChannels, launch);
}

cudaError_t run_units(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (is_empty(plan)) return cudaSuccess;
  return start_units(plan, Order::kRows, launch);
}

}  // namespace cairn::upsample_nearest
