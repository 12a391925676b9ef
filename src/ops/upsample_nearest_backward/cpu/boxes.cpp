#include "backend/kernel.h"
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
class Method {
 public:
  explicit Method(const Plan& plan) : planes(plan, plan.grad_out, plan.grad_input, false) {}

  bool takes_rows(Task<T>& /*task*/) const { return false; }
  void write_rows(Task<T>& /*task*/, const Rows<T>& /*rows*/) const {}
  HWY_ATTR void write_tile(Task<T>& task, const Tile<T>& tile) const {
    sum_boxes_in_memory(planes, task, tile);
  }

  const ScaledPlanes planes;
};

}  // namespace

void sum_boxes(const Plan& plan, Workers& workers) { write_tiles<Method>(plan, workers); }

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest_backward {
namespace {
HWY_EXPORT(sum_boxes);
}  // namespace

namespace boxes {

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  HWY_DYNAMIC_DISPATCH(sum_boxes)(plan, workers);
  return std::nullopt;
}

}  // namespace boxes
}  // namespace cairn::upsample_nearest_backward
#endif
