#include "backend/kernel.h"
#include "ops/upsample_nearest_backward/cpu/tiles.h"
#include "ops/upsample_nearest_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest_backward/cpu/one_each.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/upsample_nearest_backward/cpu/regular-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {
namespace {

template <typename T>
using Method = Regular<T, sums::OneEach>;

}  // namespace

void sum_one_each(const Plan& plan, Workers& workers) { write_tiles<Method>(plan, workers); }

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest_backward {
namespace {
HWY_EXPORT(sum_one_each);
}  // namespace

namespace one_each {

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.grad_out, plan.grad_input);
  if (!planes.w.has_boxes_of(1)) return "W is resized";
  if (planes.read.w != planes.channels) return "gradOut's lines are not dense";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  HWY_DYNAMIC_DISPATCH(sum_one_each)(plan, workers);
  return std::nullopt;
}

}  // namespace one_each
}  // namespace cairn::upsample_nearest_backward
#endif
