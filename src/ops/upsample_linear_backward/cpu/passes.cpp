#include "ops/candidate.h"
#include "ops/kit/cpu/resample/planes.h"
#include "ops/kit/cpu/types.h"
#include "ops/upsample_linear_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_linear_backward/cpu/passes.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/resample/resampler-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_linear_backward::HWY_NAMESPACE {

void resample_planes(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c == 0) return;
  resample::Planes planes{.axes = {plan.d, plan.h, plan.w},
                          .backward = true,
                          .read_type = plan.type,
                          .written_type = plan.out_type,
                          .read = plan.grad_out,
                          .written = plan.grad_input,
                          .n = plan.n,
                          .c = plan.c};
  planes.put_axes_in_order();
  const auto run = [&]<typename In, typename Out>() {
    cairn::HWY_NAMESPACE::Resampler<In, Out>(planes).run(workers);
  };
  if (plan.type == plan.out_type)
    return with_real_type(plan.type, [&]<typename T>() { run.template operator()<T, T>(); });
  with_half_type(plan.out_type, [&]<typename Out>() { run.template operator()<float, Out>(); });
}

}  // namespace cairn::upsample_linear_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_linear_backward::passes {

const char* why_not(const Plan& /*plan*/) { return nullptr; }

CAIRN_RUN_KERNEL(resample_planes)

}  // namespace cairn::upsample_linear_backward::passes
#endif
