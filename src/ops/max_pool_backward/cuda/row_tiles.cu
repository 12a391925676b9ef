#include <type_traits>

#include "ops/max_pool_backward/cuda/by_types.h"
#include "ops/max_pool_backward/cuda/methods.h"
#include "ops/max_pool_backward/cuda/tiles.h"

namespace cairn::max_pool_backward {
namespace {

template <typename T, int kPack = 16 / sizeof(T)>
using StridedShapes =
    cuda::Types<TileShape<Single, Halved<4>, Halved<kPack>>, TileShape<Halved<2>, Halved<2>, Halved<kPack>>,
                TileShape<Single, Overlapping<4>, Overlapping<kPack>>,
                TileShape<Overlapping<2>, Overlapping<2>, Overlapping<kPack>>>;

// With 64-bit indices the reads of so many windows cost more than the scatter does.
using SameShapes =
    cuda::Types<TileShape<Single, Same<3, 4>, Same<3, 4>>, TileShape<Same<3, 2>, Same<3, 2>, Same<3, 4>>>;

template <typename T, typename Index>
using Shapes =
    std::conditional_t<sizeof(Index) == 4, cuda::Joined<StridedShapes<T>, SameShapes>, StridedShapes<T>>;

template <typename T, typename Index, typename Shape>
cudaError_t start(const Plan& plan, const cuda::CudaLaunch& launch) {
  using W = typename Shape::W;
  TilePlan result = tile_plan<Shape>(plan, plan.c, launch);
  const View5& from = plan.grad_output;
  const View5& indices = plan.indices;
  const View5& to = plan.grad_input;
  result.whole_packs = plan.out.w == Shape::tiles(plan).w * W::kOwn &&
                       cuda::in_packs(from.data, sizeof(T), W::kOwn, {from.n, from.c, from.d, from.h}) &&
                       cuda::in_packs(indices.data, sizeof(Index), W::kOwn, {indices.n, indices.c}) &&
                       cuda::in_packs(to.data, sizeof(T), W::kTile, {plan.in.w, to.n, to.c, to.d, to.h});
  return start_tiles(sum_tiles<T, Index, typename Shape::D, typename Shape::H, W>, result, launch);
}

}  // namespace

const char* why_not_row_tiles(const Plan& plan) {
  if (const char* reason = why_not_tiles(plan)) return reason;
  if (plan.grad_output.w != 1 || plan.grad_input.w != 1) return "neighbours along W do not adjoin";
  if (plan.in.w == 1 || plan.out.w == 1) return "rows of one element";
  return by_types(plan, [&]<typename T, typename Index>(cuda::Tag<T>, cuda::Tag<Index>) {
    return cuda::why_not_shape<Shapes<T, Index>>(plan);
  });
}

cudaError_t run_row_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  const cudaError_t error = by_types(plan, [&]<typename T, typename Index>(cuda::Tag<T>, cuda::Tag<Index>) {
    return cuda::run_shape<Shapes<T, Index>>(
        plan, [&]<typename Shape>(cuda::Tag<Shape>) { return start<T, Index, Shape>(plan, launch); });
  });
  return error != cudaSuccess ? error : run_repair(plan, launch);
}

}  // namespace cairn::max_pool_backward
