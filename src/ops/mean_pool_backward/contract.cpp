#include "ops/mean_pool_backward/contract.h"

#include "ops/mean_pool_backward/plan.h"

namespace cairn::mean_pool_backward {
namespace {

using namespace mean_pooling;

constexpr auto kVolumeViews =
    views(kGradientTypesEqual, kGradientFormatsEqual, kGradientNotOverlapping, pooling::kChannelsLastAllowed);

constexpr auto kPlaneRules =
    table(kStrideMayBeNull, kOpening[1], kOpening[2], kOpening[3],
          views(kGradientTypesEqual, kGradientFormatsEqual, kGradientNotOverlapping, kGradientFormatsAllowed),
          kWindowLists, kCubeMathTypeAllowed, kGradInputShape, pooling::kSelfHasChannelsAndPlane,
          pooling::kWindowsExist, kGradOutputShape, kDivisorWithinLimit);

constexpr auto kVolumeRules = table(kOpening, kVolumeViews, kWindowLists, kGradInputShape,
                                    pooling::kSelfHasPlane, pooling::kWindowsExist, kGradOutputShape);

constexpr auto kAdaptivePlaneRules = table(kOpening, kVolumeViews, kGradInputShape, kGradientBatch);

constexpr auto kAdaptiveVolumeRules = table(kOpening, kVolumeViews, kSelfHasCells, kGradientHasWindows,
                                            kGradInputShape, kGradientBatch, kSingleWindows);

PlannedCall planned(const Call& call, const Axes3& along, const MeanDivisor& divisor) {
  const Axes axes = axes_of(call);
  auto plan = without_views<Plan>(call, along, divisor);
  plan.grad_output = view_of(*call.grad_output.desc, axes);
  plan.grad_input = view_of(*call.grad_input.desc, axes);
  return planned_call<Bound<&Plan::grad_output, 0, &Plan::type>, Bound<&Plan::grad_input, 2, &Plan::type>>(
      call, with_plain_axes<&Plan::grad_input, &Plan::grad_output>(plan), is_empty(*call.grad_input.desc));
}

}  // namespace

std::span<const Rule> rules(int spatial) {
  if (spatial == 3) return kVolumeRules;
  return kPlaneRules;
}

std::span<const Rule> adaptive_rules(int spatial) {
  if (spatial == 3) return kAdaptiveVolumeRules;
  return kAdaptivePlaneRules;
}

PlannedCall plan(const Call& call) { return planned(call, window_axes(call), divisor_of(call)); }

PlannedCall adaptive_plan(const Call& call) { return planned(call, adaptive_axes(call), {}); }

}  // namespace cairn::mean_pool_backward
