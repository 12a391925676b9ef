// Windows of any kind whose rows fit into the cache, reduced along W, then H, then D.

#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool/cpu/methods.h"
#include "ops/max_pool/cpu/row_buffers.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool/cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

void run_rows_here(const Plan& plan, const BlockLimits& limits, Workers& workers) {
  with_float_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() HWY_ATTR {
    run_blocks<Rows<T, Index>, T, Index>(plan, limits, workers);
  });
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool {

HWY_EXPORT(run_rows_here);

const char* why_not_rows(const Plan& plan) {
  if (const char* reason = why_no_blocks(plan)) return reason;
  return RowBuffers(plan, WindowAxes(plan), float_lanes()).too_large;
}

void run_rows(const Plan& plan, Workers& workers) {
  const RowBuffers buffers(plan, WindowAxes(plan), float_lanes());
  HWY_DYNAMIC_DISPATCH(run_rows_here)(plan, buffers.limits, workers);
}

}  // namespace cairn::max_pool
#endif
