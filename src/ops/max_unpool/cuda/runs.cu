#include <algorithm>

#include "ops/max_unpool/cuda/methods.h"
#include "ops/max_unpool/cuda/tile_launch.h"

// A run of a plane's cells, which looks at all windows of the plane: whatever the indices are, none is
// missed.
namespace cairn::max_unpool {
namespace {

template <typename Coord>
TilePlan<Coord> tiles_of(const Plan& plan, const cuda::CudaLaunch& launch) {
  const std::int64_t plane = plan.unpooled.count();
  const std::int64_t cells = std::min(most_slots(plan), plane);
  TilePlan<Coord> tiles = tile_plan<Coord>(plan, Tiling::kRuns, launch);
  set_runs(tiles, plan, cells);
  set_tiles(tiles, 1, 1, cuda::divide_up(plane, cells));
  set_slots(tiles, plan, cells);
  tiles.packs = out_in_packs(plan) && plane % slots_of_pack(plan) == 0;
  return tiles;
}

cudaError_t start(const Plan& plan, bool repairs, std::int64_t most_blocks, const cuda::CudaLaunch& launch) {
  return cuda::by_coordinate(is_narrow(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
    TilePlan<Coord> tiles = tiles_of<Coord>(plan, launch);
    tiles.repairs = repairs;
    return start_tiles(plan, tiles, most_blocks, launch);
  });
}

}  // namespace

cudaError_t run_runs(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.n * plan.c * plan.unpooled.count() == 0) return cudaSuccess;
  return start(plan, false, INT32_MAX, launch);
}

cudaError_t run_repair(const Plan& plan, const cuda::CudaLaunch& launch) {
  return start(plan, true, 4 * std::int64_t{launch.multiprocessors}, launch);
}

}  // namespace cairn::max_unpool
