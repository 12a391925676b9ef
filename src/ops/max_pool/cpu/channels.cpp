// Channels that lie side by side: all taps of a window at once, as floats. More than 20 times as fast as rows
// (p2-resnet FLOAT, NHWC).

#include "ops/kit/cpu/types.h"
#include "ops/max_pool/cpu/channel_blocks.h"
#include "ops/max_pool/cpu/methods.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/channels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool/cpu/channels-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

void run_channels_here(const Plan& plan, Workers& workers) {
  with_float_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() HWY_ATTR {
    run_blocks<Channels<T, Index>, T, Index>(plan, channel_limits(plan), workers);
  });
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool {

HWY_EXPORT(run_channels_here);

const char* why_not_channels(const Plan& plan) { return why_no_channel_blocks(plan); }

void run_channels(const Plan& plan, Workers& workers) {
  HWY_DYNAMIC_DISPATCH(run_channels_here)(plan, workers);
}

}  // namespace cairn::max_pool
#endif
