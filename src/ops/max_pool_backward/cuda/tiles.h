#pragma once

#include "ops/kit/cuda/shapes.h"
#include "ops/max_pool_backward/cuda/by_types.h"
#include "ops/max_pool_backward/cuda/geometry.h"
#include "ops/max_pool_backward/cuda/tiles.cuh"

namespace cairn::max_pool_backward {

using Single = TileAxis<1, 1, 0, 1>;
template <int Tile>
using Halved = TileAxis<2, 2, 0, Tile>;  // kernel 2, stride 2
template <int Tile>
using Overlapping = TileAxis<3, 2, 1, Tile>;  // kernel 3, stride 2, padding 1
template <int Kernel, int Tile>
using Same = TileAxis<Kernel, 1, Kernel / 2, Tile>;  // stride 1, as many windows as cells

// A shape that has a kernel.
template <typename AlongD, typename AlongH, typename AlongW>
struct TileShape {
  using D = AlongD;
  using H = AlongH;
  using W = AlongW;

  static bool fits(const Plan& plan) {
    const cuda::WindowAxes<std::int64_t> axes = cuda::window_axes<std::int64_t>(plan);
    return axis_fits<D>(axes.d) && axis_fits<H>(axes.h) && axis_fits<W>(axes.w);
  }
  static Size3 tiles(const Plan& plan) {
    return {cuda::divide_up(plan.in.d, D::kTile), cuda::divide_up(plan.in.h, H::kTile),
            cuda::divide_up(plan.in.w, W::kTile)};
  }

 private:
  // Every window must be some tile's own.
  template <typename Axis>
  static bool axis_fits(const cuda::WindowAxis<std::int64_t>& axis) {
    return axis.kernel == Axis::kKernel && axis.stride == Axis::kStride && axis.padding == Axis::kPadding &&
           axis.is_dense() && axis.in > 0 && axis.in < cuda::kNarrow && axis.out > 0 &&
           axis.out <= cuda::divide_up(axis.in, Axis::kTile) * Axis::kOwn;
  }
};

// What speaks against tiles of any shape.
inline const char* why_not_tiles(const Plan& plan) {
  if (const char* reason = why_not_floats(plan)) return reason;
  const auto narrow = [](const View5& view, const Size3& size) {
    return cuda::are_narrow({size.d * view.d, size.h * view.h, size.w * view.w});
  };
  if (plan.n * plan.c == 0 || plan.in.count() == 0 || plan.out.count() == 0) return "no cells or no windows";
  if (!same_strides(plan.grad_output, plan.indices)) return "gradOutput and indices differ in layout";
  // Threads are counted in 32 bits; a tile has four cells or more.
  if (!narrow(plan.grad_output, plan.out) || !narrow(plan.grad_input, plan.in) ||
      plan.in.d * plan.in.h >= cuda::kNarrow / plan.in.w || plan.n * plan.c >= cuda::kNarrow ||
      plan.n * plan.c * plan.in.count() / 4 >= INT32_MAX)
    return "needs 64-bit coordinates";
  return nullptr;
}

template <typename Shape>
TilePlan tile_plan(const Plan& plan, std::int64_t slices, const cuda::CudaLaunch& launch) {
  const Size3 tiles = Shape::tiles(plan);
  TilePlan result{};
  result.grad_output = plan.grad_output.data;
  result.indices = plan.indices.data;
  result.grad_input = plan.grad_input.data;
  result.in_d = static_cast<int>(plan.in.d);
  result.in_h = static_cast<int>(plan.in.h);
  result.in_w = static_cast<int>(plan.in.w);
  result.out_d = static_cast<int>(plan.out.d);
  result.out_h = static_cast<int>(plan.out.h);
  result.out_w = static_cast<int>(plan.out.w);
  result.output_strides = cuda::strides_of<int>(plan.grad_output);
  result.index_n = plan.indices.n;
  result.index_c = plan.indices.c;
  result.input_strides = cuda::strides_of<int>(plan.grad_input);
  result.index_limit = static_cast<std::uint64_t>(plan.in.count());
  result.height = cuda::Divider<std::uint32_t>(plan.in.h);
  result.width = cuda::Divider<std::uint32_t>(plan.in.w);
  result.items = static_cast<std::uint32_t>(plan.n * slices * tiles.count());
  result.grid = {slices, tiles};
  result.c = static_cast<std::uint32_t>(plan.c);
  result.repairs = cuda::repairs_of(launch);
  return result;
}

inline cudaError_t start_tiles(void (*kernel)(TilePlan), const TilePlan& plan,
                               const cuda::CudaLaunch& launch) {
  return cuda::start_kernel(kernel, plan, cuda::divide_up(plan.items, kTileThreads), kTileThreads, 0,
                            launch.stream);
}

}  // namespace cairn::max_pool_backward
