#include <type_traits>

#include "ops/max_pool/cuda/methods.h"
#include "ops/max_pool/cuda/tiles.h"

namespace cairn::max_pool {
namespace {

// With 32-bit indices alone: a larger tile, which would have too much to write with 64-bit ones.
template <typename Shape>
struct Narrow : Shape {
  static bool fits(const Plan& plan) { return plan.index_type == DataType::kInt32 && Shape::fits(plan); }
};

using Cube = TileShape<4, Same<3, 1>, Same<3, 2>, Same<3, 4>>;
template <typename T>
using LargeCube =
    std::conditional_t<sizeof(T) == 2, Narrow<TileShape<4, Same<3, 1>, Same<3, 4>, Same<3, 4>>>, Cube>;

template <typename T, int kPack = 16 / sizeof(T) / 2>
using Shapes = cuda::Types<TileShape<8, Single, Halved<2>, Halved<kPack>>,
                           TileShape<12, Halved<1>, Halved<1>, Halved<kPack>>,
                           TileShape<12, Single, Overlapping<2>, Overlapping<kPack>>,
                           TileShape<5, Overlapping<1>, Overlapping<2>, Overlapping<kPack>>,
                           TileShape<8, Single, Same<3, 4>, Same<3, 4>>, LargeCube<T>, Cube,
                           TileShape<6, Single, Same<5, 4>, Same<5, 4>>>;

// Whether rows of cells and of windows lie in whole packs.
template <typename W>
bool in_whole_packs(const Plan& plan) {
  constexpr int kCells = W::kWindows * W::kStride;
  const int element = size_of(plan.type);
  const View5& from = plan.self;
  const View5& to = plan.values;
  const View5& index_to = plan.indices;
  return plan.out.w % W::kWindows == 0 && plan.out.w * W::kStride <= plan.in.w &&
         cuda::in_packs(from.data, element, kCells, {from.n, from.c, from.d, from.h}) &&
         cuda::in_packs(to.data, element, W::kWindows, {to.n, to.c, to.d, to.h}) &&
         cuda::in_packs(index_to.data, size_of(plan.index_type), W::kWindows, {index_to.n, index_to.c});
}

template <typename Format, typename Shape>
cudaError_t start(const Plan& plan, const cuda::CudaLaunch& launch) {
  using D = typename Shape::D;
  using H = typename Shape::H;
  using W = typename Shape::W;
  const auto kernel = in_whole_packs<W>(plan)
                          ? pool_tiles<Format, D, H, CellRow<Format, W, true>, Shape::kBlocks>
                          : pool_tiles<Format, D, H, CellRow<Format, W, false>, Shape::kBlocks>;
  return start_tiles(kernel, pool_plan<int>(plan, plan.c, Shape::tile(plan, plan.c, launch)), launch);
}

}  // namespace

const char* why_not_row_tiles(const Plan& plan) {
  if (const char* reason = why_not_dense(plan)) return reason;
  if (plan.self.w != 1 || plan.values.w != 1 || plan.indices.w != 1)
    return "neighbours along W do not adjoin";
  if (plan.values.d != plan.indices.d || plan.values.h != plan.indices.h)
    return "values and indices differ in layout";
  return cuda::by_float_type(plan.type,
                             [&]<typename T>(cuda::Tag<T>) { return cuda::why_not_shape<Shapes<T>>(plan); });
}

cudaError_t run_row_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::run_shape<Shapes<T>>(
        plan, [&]<typename Shape>(cuda::Tag<Shape>) { return start<cuda::Format<T>, Shape>(plan, launch); });
  });
}

}  // namespace cairn::max_pool
