#pragma once

#include <algorithm>

#include "ops/kit/cuda/shapes.h"
#include "ops/max_pool/cuda/plan.h"
#include "ops/max_pool/cuda/tiles.cuh"

namespace cairn::max_pool {

using Single = TileAxis<1, 1, 0, 1>;
template <int Windows>
using Halved = TileAxis<2, 2, 0, Windows>;  // kernel 2, stride 2
template <int Windows>
using Overlapping = TileAxis<3, 2, 1, Windows>;  // kernel 3, stride 2, padding 1
template <int Kernel, int Windows>
using Same = TileAxis<Kernel, 1, Kernel / 2, Windows>;  // stride 1, as many windows as cells

// A shape that has a kernel. Blocks: how many a multiprocessor should hold, by measurement.
template <int Blocks, typename AlongD, typename AlongH, typename AlongW>
struct TileShape {
  using D = AlongD;
  using H = AlongH;
  using W = AlongW;
  static constexpr int kBlocks = Blocks;

  static bool fits(const Plan& plan) {
    const cuda::WindowAxes<std::int64_t> axes = cuda::window_axes<std::int64_t>(plan);
    return axis_fits<D>(axes.d) && axis_fits<H>(axes.h) && axis_fits<W>(axes.w) &&
           offsets_fit(plan, H::kCells);
  }

  // Windows along D that a thread takes: more read less twice, as long as there are enough threads.
  static Size3 tile(const Plan& plan, std::int64_t slices, const cuda::CudaLaunch& launch) {
    Size3 tile{1, H::kWindows, W::kWindows};
    if (D::kKernel <= D::kStride) return tile;
    const std::int64_t columns =
        plan.n * slices * cuda::divide_up(plan.out.h, tile.h) * cuda::divide_up(plan.out.w, tile.w);
    const std::int64_t enough = std::int64_t{launch.multiprocessors} * 1024;
    tile.d =
        std::clamp<std::int64_t>(columns * plan.out.d / enough, 1, std::min<std::int64_t>(plan.out.d, 8));
    return tile;
  }

 private:
  template <typename Axis>
  static bool axis_fits(const cuda::WindowAxis<std::int64_t>& axis) {
    const bool single = Axis::kKernel == 1 && axis.out == 1;  // one window: its stride never counts
    return axis.kernel == Axis::kKernel && (axis.stride == Axis::kStride || single) &&
           axis.padding == Axis::kPadding;
  }
};

inline cudaError_t start_tiles(void (*kernel)(PoolPlan<int>), const PoolPlan<int>& plan,
                               const cuda::CudaLaunch& launch) {
  return cuda::start_kernel(kernel, plan, cuda::divide_up(plan.items, kTileThreads), kTileThreads, 0,
                            launch.stream);
}

}  // namespace cairn::max_pool
