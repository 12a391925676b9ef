// Windows of any kind whose rows fit into the cache, reduced along W, then H, then D.

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool/cpu/row_buffers.h"
#include "ops/max_pool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool/cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

void run_rows(const Plan& plan, Workers& workers) { run_blocks<Rows>(plan, row_limits(plan), workers); }

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool::rows {

const char* why_not(const Plan& plan) {
  if (const char* reason = why_no_blocks(plan)) return reason;
  if (plan.stride.w == 0) return "windows differ in width";
  return RowBuffers(plan, WindowAxes(plan), float_lanes()).too_large;
}

CAIRN_RUN_KERNEL(run_rows)

}  // namespace cairn::max_pool::rows
#endif
