#include "ops/upsample_linear_backward/contract.h"

#include "ops/checks/upsampling_gradient.h"
#include "ops/checks/upsampling_limits.h"
#include "ops/upsample_linear_backward/plan.h"
#include "tensor/text.h"

namespace cairn::upsample_linear_backward {
namespace {

using upsampling::Call;

constexpr double kMostRatio = 50;
constexpr double kMostLineRatio = 500;

// The type of gradOut; some products also round FLOAT to the others.
Complaint out_type(const Call& call) {
  const auto from = call.grad_out.desc->type;
  const auto to = call.grad_input.desc->type;
  if (from == ACL_FLOAT && call.support().out_types.has(to)) return {};
  return same_type(call.grad_input, call.grad_out);
}

Complaint line_grows_little(const Call& call) {
  if (!call.support().ratio_limits) return {};
  return upsampling::ratios(call, call.grad_input, call.grad_out, "at most 500 times the size",
                            [](double scale, std::int64_t in, std::int64_t out) {
                              const double ratio =
                                  scale > 0 ? scale : static_cast<double>(out) / static_cast<double>(in);
                              return ratio <= kMostLineRatio;
                            });
}

Complaint plane_grows_little(const Call& call) {
  if (!call.support().ratio_limits) return {};
  return upsampling::ratios(call, call.grad_input, call.grad_out, "at most 50 times the size",
                            [](double scale, std::int64_t in, std::int64_t out) {
                              const double ratio =
                                  scale > 0 ? 1 / scale : static_cast<double>(in) / static_cast<double>(out);
                              return ratio >= 1 / kMostRatio;
                            });
}

Complaint scales_give_sizes(const Call& call) { return resampling::scales_give_sizes(call, call.grad_input); }

// clang-format off
using upsampling::kMemoryWithinLimit;
using resampling::kNotEmpty;
using upsampling::kPlaneWithinLimit;
using upsampling::kRowsWithinLimit;
using upsampling::beginning;
using upsampling::kAxesWithinInt32;
using upsampling::kAxesWithinMebi;
using upsampling::kFormatsAgree;
using upsampling::kFormatsAllowed;
using upsampling::kFormatsEqual;
using upsampling::kScalesNotNegative;
using upsampling::gradient::kLineSizes;
using upsampling::gradient::kSizes;

constexpr Rule kScalesFit = {"scales_give_sizes", kInvalid, "Where the product asks for it, scales that count give outputSize.", of_call<scales_give_sizes>};
constexpr Rule kPlaneRatios = {"ratios_within_limit", kInvalid, "Where the product limits ratios, no axis grows by more than 50, scales or sizes deciding.", of_call<plane_grows_little>};

constexpr auto kLineRules = table(
    beginning(), kLineSizes, kAxesWithinMebi, kMemoryWithinLimit, kRowsWithinLimit,
    Rule{"ratios_within_limit", kInvalid, "Where the product limits ratios, L grows by no more than 500, the scale or the sizes deciding.", of_call<line_grows_little>});
constexpr auto kPlaneRules = table(upsampling::beginning_with(
    Rule{"out_type", kInvalid, "{1} has the data type of {0}; of FLOAT, where the product allows, also FLOAT16 or BF16.", of_call<out_type>},
    kFormatsAgree, kFormatsAllowed), kSizes);
constexpr auto kPlaneV2Rules = table(
    beginning(kFormatsAgree, kFormatsAllowed), kSizes, kAxesWithinMebi, kMemoryWithinLimit, kRowsWithinLimit);
constexpr auto kVolumeRules = table(
    beginning(kFormatsAgree, kFormatsAllowed), kSizes, kAxesWithinMebi, kMemoryWithinLimit, kRowsWithinLimit, kPlaneWithinLimit, kScalesFit);
constexpr auto kCubicRules = table(
    beginning(kFormatsAgree, kFormatsAllowed, kFormatsEqual), kSizes, kAxesWithinInt32, kRowsWithinLimit);
constexpr auto kAntialiasedLinearRules = table(
    beginning(kFormatsAgree, kFormatsAllowed, kFormatsEqual), kSizes, kNotEmpty, kAxesWithinInt32, kRowsWithinLimit, kPlaneRatios,
    kScalesNotNegative, kScalesFit);
constexpr auto kAntialiasedCubicRules = table(
    beginning(kFormatsAgree, kFormatsAllowed, kFormatsEqual), kSizes, kNotEmpty, kAxesWithinMebi, kMemoryWithinLimit, kRowsWithinLimit, kPlaneRatios,
    kScalesNotNegative, kScalesFit);
// clang-format on

Plan make_plan(const Call& call) {
  const Axes axes = upsampling::gradient::axes_of(call);
  const auto [d, h, w] = resampling::plane_axes(call, plane_of(*call.grad_input.desc, axes),
                                                plane_of(*call.grad_out.desc, axes));
  return {.type = static_cast<DataType>(call.grad_out.desc->type),
          .out_type = static_cast<DataType>(call.grad_input.desc->type),
          .n = size_along(axes.n, call.grad_input.dims()),
          .c = size_along(axes.c, call.grad_input.dims()),
          .d = d,
          .h = h,
          .w = w,
          .grad_out = view_of(*call.grad_out.desc, axes),
          .grad_input = view_of(*call.grad_input.desc, axes)};
}

}  // namespace

std::span<const Rule> linear_rules(int spatial) {
  if (spatial == 1) return kLineRules;
  if (spatial == 2) return kPlaneRules;
  return kVolumeRules;
}
std::span<const Rule> linear_v2_rules(int /*spatial*/) { return kPlaneV2Rules; }
std::span<const Rule> cubic_rules(int /*spatial*/) { return kCubicRules; }
std::span<const Rule> antialiased_linear_rules(int /*spatial*/) { return kAntialiasedLinearRules; }
std::span<const Rule> antialiased_cubic_rules(int /*spatial*/) { return kAntialiasedCubicRules; }

PlannedCall plan(const Call& call) {
  if (call.product().strict) upsampling::gradient::warn_of_order(call);
  return planned_call<Bound<&Plan::grad_out, 0, &Plan::type>, Bound<&Plan::grad_input, 1, &Plan::out_type>>(
      call, make_plan(call), is_empty(*call.grad_input.desc));
}

}  // namespace cairn::upsample_linear_backward
