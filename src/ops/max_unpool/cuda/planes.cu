#include <algorithm>

#include "ops/max_unpool/cuda/methods.h"
#include "ops/max_unpool/cuda/tile_launch.h"

// Planes that fit into a block's memory, several where they are small and many.
namespace cairn::max_unpool {
namespace {

template <typename Coord>
TilePlan<Coord> tiles_of(const Plan& plan, const cuda::CudaLaunch& launch) {
  TilePlan<Coord> tiles = tile_plan<Coord>(plan, Tiling::kPlanes, launch);
  const std::int64_t plane = plan.unpooled.count();
  const std::int64_t enough = tiles.planes / (8 * std::int64_t{launch.multiprocessors});
  const std::int64_t most = std::min(slots_of_tile(plan) / plane, (1 << 29) / plan.pooled.count());
  tiles.planes_per_tile = std::clamp<std::int64_t>(enough, 1, std::max<std::int64_t>(most, 1));
  set_runs(tiles, plan, plane);
  set_slots(tiles, plan, plane * tiles.planes_per_tile);
  tiles.packs = out_in_packs(plan) && plane * tiles.planes_per_tile % slots_of_pack(plan) == 0;
  tiles.items = cuda::divide_up(tiles.planes, tiles.planes_per_tile);
  return tiles;
}

}  // namespace

const char* why_not_planes(const Plan& plan) {
  if (is_empty(plan)) return "there are no windows";
  return plan.unpooled.count() > most_slots(plan) ? "a plane does not fit into shared memory" : nullptr;
}

cudaError_t run_planes(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_coordinate(is_narrow(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
    return start_tiles(plan, tiles_of<Coord>(plan, launch), INT32_MAX, launch);
  });
}

}  // namespace cairn::max_unpool
