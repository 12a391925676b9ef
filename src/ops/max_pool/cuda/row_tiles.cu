#include <type_traits>

#include "ops/kit/cuda/max_pooling/tiles.h"
#include "ops/max_pool/cuda/methods.h"

namespace cairn::max_pool {
using namespace max_pooling;

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

}  // namespace

const char* why_not_row_tiles(const Plan& plan) {
  if (const char* reason = why_not_rows(plan)) return reason;
  return cuda::by_float_type(plan.type,
                             [&]<typename T>(cuda::Tag<T>) { return cuda::why_not_shape<Shapes<T>>(plan); });
}

cudaError_t run_row_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::run_shape<Shapes<T>>(plan, [&]<typename Shape>(cuda::Tag<Shape>) {
      return start_row_tiles<cuda::Format<T>, Shape>(plan, launch);
    });
  });
}

}  // namespace cairn::max_pool
