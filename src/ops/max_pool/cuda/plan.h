#pragma once

#include <optional>

#include "backend/cuda/launch.h"
#include "ops/kit/cuda/views.h"
#include "ops/max_pool/cuda/window.cuh"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// A kernel for this window shape, over rows along W or over packs of channels; nothing when there is none.
std::optional<cudaError_t> launch_tiles(const Plan& plan, bool channels, const cuda::CudaLaunch& launch);

// Whether the offsets of a window's taps in a slab, over so many rows, fit a half.
inline bool offsets_fit_half(const Plan& plan, std::int64_t rows) {
  return rows < 1 << 16 && rows * plan.in.w < 1 << 16;
}

template <typename Coord>
Strides<Coord> strides_of(const View5& view) {
  return {view.n, view.c, static_cast<Coord>(view.d), static_cast<Coord>(view.h), static_cast<Coord>(view.w)};
}

// `slices` of an N, and tiles of so many windows.
template <typename Coord>
PoolPlan<Coord> pool_plan(const Plan& plan, std::int64_t slices, const Size3& tile) {
  const auto axis = [](std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                       std::int64_t padding, std::int64_t dilation) {
    return PoolAxis<Coord>{static_cast<Coord>(in),      static_cast<Coord>(out),
                           static_cast<Coord>(kernel),  static_cast<Coord>(stride),
                           static_cast<Coord>(padding), static_cast<Coord>(dilation)};
  };
  const auto& p = plan;
  PoolPlan<Coord> result{};
  result.self = p.self.data;
  result.values = p.values.data;
  result.indices = p.indices.data;
  result.wide_indices = p.index_type == DataType::kInt64;
  result.d = axis(p.in.d, p.out.d, p.kernel.d, p.stride.d, p.padding.d, p.dilation.d);
  result.h = axis(p.in.h, p.out.h, p.kernel.h, p.stride.h, p.padding.h, p.dilation.h);
  result.w = axis(p.in.w, p.out.w, p.kernel.w, p.stride.w, p.padding.w, p.dilation.w);
  result.from = strides_of<Coord>(p.self);
  result.to = strides_of<Coord>(p.values);
  result.index_to = strides_of<Coord>(p.indices);
  const Size3 tiles{cuda::divide_up(p.out.d, tile.d), cuda::divide_up(p.out.h, tile.h),
                    cuda::divide_up(p.out.w, tile.w)};
  using Divider = typename PoolPlan<Coord>::Divider;
  result.items = static_cast<Coord>(p.n * slices * tiles.count());
  result.by_d = Divider(tiles.d);
  result.by_h = Divider(tiles.h);
  result.by_w = Divider(tiles.w);
  result.by_slices = Divider(slices);
  result.slab_step = static_cast<int>(p.in.h * p.in.w);
  result.march = static_cast<int>(tile.d);
  return result;
}

}  // namespace cairn::max_pool
