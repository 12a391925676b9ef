#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/upsample_nearest_backward/cpu/tiles.h"
#include "ops/upsample_nearest_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest_backward/cpu/boxes.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/upsample_nearest_backward/cpu/sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {
namespace {

template <typename T>
struct Method : TilesAlone<T> {
  using TilesAlone<T>::planes;

  explicit Method(const Plan& plan) : TilesAlone<T>{{plan, plan.grad_out, plan.grad_input, false}} {}

  HWY_ATTR void write_tile(Task<T>& task, const Tile<T>& tile) const {
    sum_boxes_in_memory(planes, task, tile);
  }
};

}  // namespace

void sum_boxes(const Plan& plan, Workers& workers) { write_tiles<Method>(plan, workers); }

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest_backward::boxes {

const char* why_not(const Plan& /*plan*/) { return nullptr; }

CAIRN_RUN_KERNEL(sum_boxes)

}  // namespace cairn::upsample_nearest_backward::boxes
#endif
