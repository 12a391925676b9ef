#include "backend/kernel.h"
#include "ops/upsample_nearest_backward/cpu/tiles.h"
#include "ops/upsample_nearest_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest_backward/cpu/two_each.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/upsample_nearest_backward/cpu/regular-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {
namespace {

template <typename T>
using Method = Regular<T, sums::TwoEach>;

}  // namespace

void sum_two_each(const Plan& plan, Workers& workers) { write_tiles<Method>(plan, workers); }

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest_backward {
namespace {
HWY_EXPORT(sum_two_each);
}  // namespace

namespace two_each {

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.grad_out, plan.grad_input);
  if (!planes.w.has_boxes_of(2)) return "W is not doubled";
  if (planes.read.w != 1) return "gradOut is strided along W";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  HWY_DYNAMIC_DISPATCH(sum_two_each)(plan, workers);
  return std::nullopt;
}

}  // namespace two_each
}  // namespace cairn::upsample_nearest_backward
#endif
