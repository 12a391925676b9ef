#include "ops/max_pool_backward/cuda/by_types.h"
#include "ops/max_pool_backward/cuda/methods.h"
#include "ops/max_pool_backward/cuda/tiles.h"

namespace cairn::max_pool_backward {
namespace {

using Shapes = cuda::Types<TileShape<Single, Halved<2>, Halved<2>>,     //
                           TileShape<Halved<2>, Halved<2>, Halved<2>>,  //
                           TileShape<Single, Overlapping<4>, Overlapping<2>>,
                           TileShape<Overlapping<2>, Overlapping<2>, Overlapping<2>>>;

bool in_packs(const View5& view, const Size3& size, DataType type) {
  return view.c == 1 && cuda::in_packs(view.data, size_of(type), kTileChannels,
                                       {view.n, view.d, view.h, step_w(view, size)});
}

template <typename T, typename Index, typename Shape>
cudaError_t start(const Plan& plan, const cuda::CudaLaunch& launch) {
  return start_tiles(sum_channel_tiles<T, Index, typename Shape::D, typename Shape::H, typename Shape::W>,
                     tile_plan<Shape>(plan, plan.c / kTileChannels, launch), launch);
}

}  // namespace

const char* why_not_channel_tiles(const Plan& plan) {
  if (const char* reason = why_not_tiles(plan)) return reason;
  if (plan.c % kTileChannels != 0 || !in_packs(plan.grad_output, plan.out, plan.type) ||
      !in_packs(plan.indices, plan.out, plan.index_type) || !in_packs(plan.grad_input, plan.in, plan.type))
    return "channels do not lie in packs";
  return cuda::why_not_shape<Shapes>(plan);
}

cudaError_t run_channel_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  const cudaError_t error = by_types(plan, [&]<typename T, typename Index>(cuda::Tag<T>, cuda::Tag<Index>) {
    return cuda::run_shape<Shapes>(
        plan, [&]<typename Shape>(cuda::Tag<Shape>) { return start<T, Index, Shape>(plan, launch); });
  });
  return error != cudaSuccess ? error : run_repair(plan, launch);
}

}  // namespace cairn::max_pool_backward
