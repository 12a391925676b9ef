#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cuda/types.cuh"
#include "ops/max_unpool/cuda/tiling.h"

namespace cairn::max_unpool {

// Starts unpool_tiles.
template <typename Coord>
cudaError_t start_tiles(const Plan& plan, const TilePlan<Coord>& tiles, std::int64_t most_blocks,
                        const cuda::CudaLaunch& launch);

inline bool out_in_packs(const Plan& plan) {
  return cuda::in_packs(plan.out.data, size_of(plan.type), slots_of_pack(plan), {});
}

// What every tiling has in common.
template <typename Coord>
TilePlan<Coord> tile_plan(const Plan& plan, Tiling tiling, const cuda::CudaLaunch& launch) {
  TilePlan<Coord> tiles{};
  tiles.self = plan.self.data;
  tiles.indices = plan.indices.data;
  tiles.out = plan.out.data;
  tiles.self_strides = cuda::strides_of<std::int64_t>(plan.self);
  tiles.index_strides = cuda::strides_of<std::int64_t>(plan.indices);
  tiles.out_strides = cuda::strides_of<std::int64_t>(plan.out);
  tiles.gaps = has_gaps(plan);
  tiles.tiling = tiling;
  tiles.plane_size = static_cast<Coord>(plan.unpooled.count());
  tiles.pooled_size = static_cast<Coord>(plan.pooled.count());
  tiles.index_limit = static_cast<std::uint64_t>(plan.unpooled.count());
  if (size_of(plan.index_type) == 4)
    tiles.index_limit = std::min<std::uint64_t>(tiles.index_limit, std::uint64_t{1} << 31);
  tiles.planes = plan.n * plan.c;
  tiles.planes_per_tile = 1;
  tiles.by_c = cuda::Divider<std::uint64_t>(plan.c);
  tiles.cells_h = typename TilePlan<Coord>::Divider(plan.unpooled.h);
  tiles.cells_w = typename TilePlan<Coord>::Divider(plan.unpooled.w);
  tiles.faults = cuda::fault_sink(launch);
  return tiles;
}

template <typename Coord>
TileAxis<Coord> tile_axis(std::int64_t pooled, std::int64_t unpooled, std::int64_t windows,
                          std::int64_t cells) {
  return {static_cast<Coord>(pooled), static_cast<Coord>(unpooled), static_cast<Coord>(windows),
          static_cast<Coord>(cells)};
}

template <typename Coord>
void set_axes(TilePlan<Coord>& tiles, const TileAxis<Coord>& d, const TileAxis<Coord>& h,
              const TileAxis<Coord>& w) {
  using Divider = typename TilePlan<Coord>::Divider;
  tiles.d = d;
  tiles.h = h;
  tiles.w = w;
  const auto by = [](Coord windows) { return Divider(std::max<Coord>(windows, 1)); };
  tiles.windows_d = by(d.windows);
  tiles.windows_h = by(h.windows);
  tiles.windows_w = by(w.windows);
}

// All windows of a plane belong to each of its tiles, which are cut from one row of all cells.
template <typename Coord>
void set_runs(TilePlan<Coord>& tiles, const Plan& plan, std::int64_t cells) {
  const Size3& p = plan.pooled;
  set_axes(tiles, tile_axis<Coord>(p.d, 1, p.d, 1), tile_axis<Coord>(p.h, 1, p.h, 1),
           tile_axis<Coord>(p.w, plan.unpooled.count(), p.w, cells));
}

template <typename Coord>
void set_tiles(TilePlan<Coord>& tiles, std::int64_t d, std::int64_t h, std::int64_t w) {
  tiles.tiles_d = cuda::Divider<std::uint64_t>(d);
  tiles.tiles_h = cuda::Divider<std::uint64_t>(h);
  tiles.tiles_w = cuda::Divider<std::uint64_t>(w);
  tiles.items = tiles.planes * d * h * w;
}

// In whole packs.
template <typename Coord>
void set_slots(TilePlan<Coord>& tiles, const Plan& plan, std::int64_t slots) {
  tiles.slots = static_cast<Coord>(cuda::divide_up(slots, slots_of_pack(plan)) * slots_of_pack(plan));
}

}  // namespace cairn::max_unpool
