#include <algorithm>

#include "ops/max_pool_backward/cuda/anywhere.cuh"
#include "ops/max_pool_backward/cuda/by_types.h"
#include "ops/max_pool_backward/cuda/geometry.h"
#include "ops/max_pool_backward/cuda/methods.h"

namespace cairn::max_pool_backward {
namespace {

template <typename Coord>
AnywherePlan<Coord> anywhere_plan(const Plan& plan, bool only_repairs, const cuda::CudaLaunch& launch) {
  using Divider = cuda::Divider<std::make_unsigned_t<Coord>>;
  const auto divider = [](std::int64_t by) { return Divider(std::max<std::int64_t>(by, 1)); };
  const std::int64_t cells = plan.in.count();
  const std::int64_t runs = std::max<std::int64_t>(cuda::divide_up(cells, kRun), 1);
  AnywherePlan<Coord> result{};
  result.grad_output = plan.grad_output.data;
  result.indices = plan.indices.data;
  result.grad_input = plan.grad_input.data;
  result.output_strides = cuda::strides_of<std::int64_t>(plan.grad_output);
  result.index_strides = cuda::strides_of<std::int64_t>(plan.indices);
  result.input_strides = cuda::strides_of<std::int64_t>(plan.grad_input);
  result.in_h = divider(plan.in.h);
  result.in_w = divider(plan.in.w);
  result.out_h = divider(plan.out.h);
  result.out_w = divider(plan.out.w);
  result.by_runs = cuda::Divider<std::uint64_t>(runs);
  result.by_c = cuda::Divider<std::uint64_t>(plan.c);
  result.plane_size = static_cast<Coord>(cells);
  result.windows = static_cast<Coord>(plan.out.count());
  result.items = static_cast<std::uint64_t>(plan.n * plan.c * runs);
  result.channels_last = plan.channels_last;
  result.only_repairs = only_repairs;
  result.any_byte = !is_aligned(plan.indices, size_of(plan.index_type));
  result.repairs = cuda::repairs_of(launch);
  result.faults = cuda::fault_sink(launch);
  return result;
}

cudaError_t run_anywhere(const Plan& plan, bool only_repairs, const cuda::CudaLaunch& launch) {
  const std::int64_t most_blocks = only_repairs ? launch.multiprocessors : INT64_MAX;
  return by_real_types(plan, [&]<typename T, typename Index>(cuda::Tag<T>, cuda::Tag<Index>) {
    return cuda::by_coordinate(fits_int(plan, Axes(plan)), [&]<typename Coord>(cuda::Tag<Coord>) {
      return start_warps(scatter_anywhere<T, Index, Coord>, anywhere_plan<Coord>(plan, only_repairs, launch),
                         0, launch, most_blocks);
    });
  });
}

}  // namespace

const char* why_not_small(const Plan& plan) {
  if (plan.index_type == DataType::kInt8) return "windows have one tap each, and no indices";
  if (plan.n * plan.c == 0) return "no planes";
  const std::int64_t cells = plan.in.count();
  const std::int64_t windows = plan.out.count();
  // Few enough for one warp a plane to be as fast as anything.
  if (cells > kRun || windows > kRun || plan.n * plan.c * (cells + windows) > 1 << 12)
    return "many cells or windows";
  return nullptr;
}

cudaError_t run_small(const Plan& plan, const cuda::CudaLaunch& launch) {
  return run_anywhere(plan, false, launch);
}

cudaError_t run_repair(const Plan& plan, const cuda::CudaLaunch& launch) {
  return run_anywhere(plan, true, launch);
}

}  // namespace cairn::max_pool_backward
