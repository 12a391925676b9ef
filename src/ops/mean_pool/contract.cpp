#include "ops/mean_pool/contract.h"

#include "ops/mean_pool/plan.h"

namespace cairn::mean_pool {
namespace {

using namespace mean_pooling;

constexpr auto kPlaneRules =
    table(kOpening, views(kTypesEqual, kFormatsEqual, kOutputNotOverlapping, kFormatsAllowed), kWindowLists,
          pooling::kSelfHasChannelsAndPlane, pooling::kWindowsExist, kOutShape, kCubeMathTypeAllowed);

constexpr auto kVolumeRules =
    table(kOpening, views(kTypesEqual, kFormatsEqual, kOutputNotOverlapping, pooling::kChannelsLastAllowed),
          kWindowLists, kKernelWithinSelf, kOutShape);

constexpr auto kSizes = table(kOutputSizeLength, kOutputSizeAllowed, kSelfHasCells, kOutHasOutputSize);

constexpr auto kAdaptivePlaneRules =
    table(kOpening, views(kTypesEqual, kFormatsEqual, kOutputNotOverlapping, kFormatsAllowed), kSizes);

constexpr auto kAdaptiveVolumeRules = table(
    kOpening,
    views(kTypesEqual, kFormatsEqual, kOutputNotOverlapping, pooling::kChannelsLastAllowed, kFormatNamed),
    kSizes);

PlannedCall planned(const Call& call, const Axes3& along, const MeanDivisor& divisor) {
  const Axes axes = axes_of(call);
  auto plan = without_views<Plan>(call, along, divisor);
  plan.self = view_of(*call.self.desc, axes);
  plan.values = view_of(*call.out.desc, axes);
  return planned_call<Bound<&Plan::self, 0, &Plan::type>, Bound<&Plan::values, 1, &Plan::type>>(
      call, with_plain_axes<&Plan::self, &Plan::values>(plan), is_empty(*call.out.desc));
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

}  // namespace cairn::mean_pool
