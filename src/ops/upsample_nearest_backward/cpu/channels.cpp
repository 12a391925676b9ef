#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/upsample_nearest_backward/cpu/tiles.h"
#include "ops/upsample_nearest_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest_backward/cpu/channels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/upsample_nearest_backward/cpu/sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {
namespace {

template <typename T>
struct Method : TilesAlone<T> {
  using TilesAlone<T>::planes;

  explicit Method(const Plan& plan) : TilesAlone<T>{{plan, plan.grad_out, plan.grad_input}} {}

  HWY_ATTR void write_tile(Task<T>& task, const Tile<T>& tile) const {
    if (tile.dense && tile.lists_lines(planes.w)) return sum_channels(planes, task, tile);
    sum_boxes_in_memory(planes, task, tile);
  }
};

}  // namespace

void sum_side_by_side(const Plan& plan, Workers& workers) { write_tiles<Method>(plan, workers); }

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest_backward::channels {

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.grad_out, plan.grad_input);
  return planes.channels > 1 ? nullptr : "channels do not lie side by side";
}

CAIRN_RUN_KERNEL(sum_side_by_side)

}  // namespace cairn::upsample_nearest_backward::channels
#endif
