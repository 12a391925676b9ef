// Channels that lie side by side: all taps of a window at once, as floats. More than 20 times as fast as rows
// (p2-resnet FLOAT, NHWC).

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool/cpu/channel_blocks.h"
#include "ops/max_pool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/channels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool/cpu/channels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

void run_channels(const Plan& plan, Workers& workers) {
  run_blocks<Channels>(plan, channel_limits(plan), workers);
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool::channels {

const char* why_not(const Plan& plan) { return why_no_channel_blocks(plan); }

CAIRN_RUN_KERNEL(run_channels)

}  // namespace cairn::max_pool::channels
#endif
