#pragma once

#include <algorithm>

#include "ops/kit/cuda/max_pooling/plan.h"
#include "ops/kit/cuda/max_pooling/tiles.cuh"
#include "ops/kit/cuda/shapes.h"

namespace cairn::max_pooling {

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

  template <typename Plan>
  static bool fits(const Plan& plan) {
    const cuda::WindowAxes<std::int64_t> axes = cuda::window_axes<std::int64_t>(plan);
    return axis_fits<D>(axes.d) && axis_fits<H>(axes.h) && axis_fits<W>(axes.w) &&
           offsets_fit(plan, H::kCells);
  }

  // Windows along D that a thread takes: more read less twice, as long as there are enough threads.
  template <typename Plan>
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

// Whether rows of cells and of windows lie in whole packs.
template <typename W, typename Plan>
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

template <typename Format, typename Shape, typename Plan>
cudaError_t start_row_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  using D = typename Shape::D;
  using H = typename Shape::H;
  using W = typename Shape::W;
  const auto kernel = in_whole_packs<W>(plan)
                          ? pool_tiles<Format, D, H, CellRow<Format, W, true>, Shape::kBlocks>
                          : pool_tiles<Format, D, H, CellRow<Format, W, false>, Shape::kBlocks>;
  return start_tiles(kernel, pool_plan<int>(plan, plan.c, Shape::tile(plan, plan.c, launch)), launch);
}

template <typename Format, typename Shape, typename Plan>
cudaError_t start_channel_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  const std::int64_t slices = plan.c / kChannels;
  return start_tiles(pool_tiles<Format, typename Shape::D, typename Shape::H,
                                ChannelRow<Format, typename Shape::W>, Shape::kBlocks>,
                     pool_plan<int>(plan, slices, Shape::tile(plan, slices, launch)), launch);
}

}  // namespace cairn::max_pooling
