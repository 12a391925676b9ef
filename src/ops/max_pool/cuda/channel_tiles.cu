#include "ops/kit/cuda/max_pooling/tiles.h"
#include "ops/max_pool/cuda/methods.h"

namespace cairn::max_pool {
using namespace max_pooling;

namespace {

using Shapes = cuda::Types<TileShape<8, Single, Halved<2>, Halved<1>>,     //
                           TileShape<8, Halved<1>, Halved<1>, Halved<1>>,  //
                           TileShape<5, Single, Overlapping<4>, Overlapping<1>>,
                           TileShape<5, Overlapping<1>, Overlapping<2>, Overlapping<1>>>;

}  // namespace

const char* why_not_channel_tiles(const Plan& plan) {
  if (const char* reason = why_not_packs_of_channels(plan)) return reason;
  return cuda::why_not_shape<Shapes>(plan);
}

cudaError_t run_channel_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::run_shape<Shapes>(plan, [&]<typename Shape>(cuda::Tag<Shape>) {
      return start_channel_tiles<cuda::Format<T>, Shape>(plan, launch);
    });
  });
}

}  // namespace cairn::max_pool
