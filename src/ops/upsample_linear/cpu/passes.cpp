#include "ops/candidate.h"
#include "ops/kit/cpu/resample/planes.h"
#include "ops/kit/cpu/types.h"
#include "ops/upsample_linear/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_linear/cpu/passes.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/resample/resampler-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_linear::HWY_NAMESPACE {

void resample_planes(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c == 0) return;
  resample::Planes planes{.axes = {plan.d, plan.h, plan.w},
                          .backward = false,
                          .read_type = plan.type,
                          .written_type = plan.type,
                          .read = plan.self,
                          .written = plan.out,
                          .n = plan.n,
                          .c = plan.c};
  planes.put_axes_in_order();
  with_real_type(plan.type,
                 [&]<typename T>() { cairn::HWY_NAMESPACE::Resampler<T, T>(planes).run(workers); });
}

}  // namespace cairn::upsample_linear::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_linear::passes {

const char* why_not(const Plan& /*plan*/) { return nullptr; }

CAIRN_RUN_KERNEL(resample_planes)

}  // namespace cairn::upsample_linear::passes
#endif
