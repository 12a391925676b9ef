#include "ops/max_unpool/cuda/methods.h"
#include "ops/max_unpool/cuda/tile_launch.h"

// Boxes of any size, with the windows that lie over them; what other windows have there is repaired.
namespace cairn::max_unpool {
namespace {

struct Boxes {
  const char* why_not;
  AxisSize d, h, w;

  std::int64_t cells() const { return d.cells() * h.cells() * w.cells(); }
};

Boxes boxes_of(const Plan& plan) {
  if (is_empty(plan)) return {"there are no windows", {}, {}, {}};
  if (has_few_windows(plan)) return {"windows are few: each run can look at all of them", {}, {}, {}};
  Boxes boxes{nullptr,
              {plan.pooled.d, plan.unpooled.d},
              {plan.pooled.h, plan.unpooled.h},
              {plan.pooled.w, plan.unpooled.w}};
  auto& [why_not, d, h, w] = boxes;
  const std::int64_t room = slots_of_tile(plan);
  if (boxes.cells() > room) {
    why_not = "the cells of a window do not fit into shared memory";
    return boxes;
  }
  w.grow(room / (d.cells() * h.cells()));
  if (w.cells() == w.unpooled) h.grow(room / (d.cells() * w.cells()));
  if (w.cells() == w.unpooled && h.cells() == h.unpooled) d.grow(room / (h.cells() * w.cells()));
  return boxes;
}

template <typename Coord>
TilePlan<Coord> tiles_of(const Plan& plan, const cuda::CudaLaunch& launch) {
  const Boxes boxes = boxes_of(plan);
  const auto axis = [](const AxisSize& size) {
    return tile_axis<Coord>(size.pooled, size.unpooled, size.windows, size.cells());
  };
  TilePlan<Coord> tiles = tile_plan<Coord>(plan, Tiling::kBoxes, launch);
  set_axes(tiles, axis(boxes.d), axis(boxes.h), axis(boxes.w));
  set_tiles(tiles, boxes.d.tiles(), boxes.h.tiles(), boxes.w.tiles());
  set_slots(tiles, plan, boxes.cells());
  tiles.packs = out_in_packs(plan) && boxes.w.unpooled % slots_of_pack(plan) == 0 &&
                boxes.w.cells() % slots_of_pack(plan) == 0;
  return tiles;
}

}  // namespace

const char* why_not_tiles(const Plan& plan) { return boxes_of(plan).why_not; }

cudaError_t run_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  const cudaError_t error = cuda::by_coordinate(is_narrow(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
    return start_tiles(plan, tiles_of<Coord>(plan, launch), INT32_MAX, launch);
  });
  return error != cudaSuccess ? error : run_repair(plan, launch);
}

}  // namespace cairn::max_unpool
