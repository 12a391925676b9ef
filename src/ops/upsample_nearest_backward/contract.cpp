#include "ops/upsample_nearest_backward/contract.h"

#include "ops/checks/upsampling_gradient.h"
#include "ops/checks/upsampling_limits.h"
#include "ops/upsample_nearest_backward/plan.h"
#include "runtime/bridge.h"
#include "tensor/text.h"

namespace cairn::upsample_nearest_backward {
namespace {

using upsampling::Call;

constexpr double kMostRatio = 50;

using upsampling::gradient::axes_of;
using upsampling::gradient::channels_last;

// Whether an axis is enlarged no more than products allow, as they compute it: lines and images the other way
// round.
bool ratio_is_small(const Call& call, double scale, std::int64_t in, std::int64_t out) {
  const auto input = static_cast<double>(in);
  const auto output = static_cast<double>(out);
  if (call.spatial() == 3) return (scale > 0 ? scale : output / input) <= kMostRatio;
  return (scale > 0 ? 1 / scale : input / output) >= 1 / kMostRatio;
}

Complaint ratios_within_limit(const Call& call) {
  if (!call.support().size_limits) return {};
  return upsampling::ratios(
      call, call.grad_input, call.grad_out, "at most 50 times the size",
      [&](double scale, std::int64_t in, std::int64_t out) { return ratio_is_small(call, scale, in, out); });
}

Complaint positive_scales(const Call& call) {
  return upsampling::positive_scales_give_sizes(call, call.grad_input);
}
Complaint counting_scales(const Call& call) {
  return upsampling::counting_scales_give_sizes(call, call.grad_input);
}

// clang-format off
using upsampling::beginning;
using upsampling::kFormatsAgree;
using upsampling::kFormatsAllowed;
using upsampling::kFormatsEqual;

constexpr std::array kPlanesWithinLimit = {
    Rule{"rows_within_limit", kInvalid, "Where the product limits sizes, N·C·oD·oH is less than 2^31.", of_call<upsampling::rows_within_limit>},
    Rule{"plane_within_limit", kInvalid, "Where the product limits sizes, iH·iW is less than 2^31.", of_call<upsampling::plane_within_limit>}};
constexpr Rule kRatiosWithinLimit = {"ratios_within_limit", kInvalid, "Where the product limits sizes, no scale is above 50, nor without one the size of {0} above 50 times that of {1}.", of_call<ratios_within_limit>};
constexpr Rule kScalesFit = {"scales_give_sizes", kInvalid, "Where the product asks for it, scales that count give outputSize.", of_call<counting_scales>};

constexpr auto kLineRules = table(beginning(kFormatsAllowed), upsampling::gradient::kLineSizes);
constexpr auto kPlaneRules = table(beginning(kFormatsAgree, kFormatsAllowed), upsampling::gradient::kSizes, kScalesFit);
constexpr auto kVolumeRules = table(
    beginning(kFormatsAgree), upsampling::gradient::kSizes, upsampling::kAxesWithinMebi,
    Rule{"memory_within_limit", kInvalid, "Where the product limits sizes, N·C·(oD·oH·oW + iD·iH·iW + oD·oH·iW + oD·iH·iW)·4 is less than 60 GiB.", of_call<upsampling::memory_of_floats>},
    kPlanesWithinLimit,
    Rule{"scales_give_sizes", kInvalid, "Where the product asks for it, positive scales give outputSize.", of_call<positive_scales>});

constexpr auto kLineExactRules = table(
    beginning(kFormatsAllowed, kFormatsEqual), upsampling::gradient::kLineSizes, kRatiosWithinLimit, upsampling::kScalesNotNegative, kScalesFit);
constexpr auto kPlaneExactRules = table(
    beginning(kFormatsAgree, kFormatsAllowed, kFormatsEqual), upsampling::gradient::kSizes, kRatiosWithinLimit, upsampling::kScalesNotNegative, kScalesFit);
constexpr auto kVolumeExactRules = table(
    beginning(kFormatsAgree), upsampling::gradient::kSizes, upsampling::kAxesWithinMebi,
    Rule{"memory_within_limit", kInvalid, "Where the product limits sizes, N·C·(oD·oH·oW + iD·iH·iW + oD·oH·iW + oD·iH·iW)·bytes of an element is less than 60 GiB.", of_call<upsampling::memory_of_elements>},
    kPlanesWithinLimit, kRatiosWithinLimit, kScalesFit);
// clang-format on

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 in = plane_of(*call.grad_input.desc, axes);
  const Size3 out = plane_of(*call.grad_out.desc, axes);
  const auto scale = [](double wish, std::int64_t input, std::int64_t output, bool given) {
    return given ? static_cast<float>(wish) : static_cast<float>(output) / static_cast<float>(input);
  };
  const auto [scale_d, scale_h, scale_w] = upsampling::steps_of(call, in, out, scale);
  return {.type = static_cast<DataType>(call.grad_out.desc->type),
          .n = size_along(axes.n, call.grad_input.dims()),
          .c = size_along(axes.c, call.grad_input.dims()),
          .in = in,
          .out = out,
          .scale_d = scale_d,
          .scale_h = scale_h,
          .scale_w = scale_w,
          .shift = call.op.resizing.shift,
          .grad_out = view_of(*call.grad_out.desc, axes),
          .grad_input = view_of(*call.grad_input.desc, axes)};
}

void warn_of_dropped_scale(const Call& call) {
  const std::int64_t in = call.grad_input.dims().back();
  const std::int64_t out = call.grad_out.dims().back();
  if (!upsampling::is_usable(call.scale(0)) || upsampling::scale_counts(call, 0, in, out)) return;
  cairn_runtime_bridge().warn(sentence(call.op.name, "GetWorkspaceSize: ", upsampling::scale_name(call, 0),
                                       " ", call.scale(0), " does not give outputSize ",
                                       call.output_size.values(), " from inputSize ",
                                       call.input_size.values(), " and is ignored, as on Atlas A2"));
}

}  // namespace

std::span<const Rule> rules(int spatial) {
  if (spatial == 1) return kLineRules;
  if (spatial == 2) return kPlaneRules;
  return kVolumeRules;
}

std::span<const Rule> exact_rules(int spatial) {
  if (spatial == 1) return kLineExactRules;
  if (spatial == 2) return kPlaneExactRules;
  return kVolumeExactRules;
}

PlannedCall plan(const Call& call) {
  if (call.product().strict) {
    upsampling::gradient::warn_of_order(call);
    if (call.op.resizing.scales == Resizing::Scales::kIfFitting) warn_of_dropped_scale(call);
  }
  return planned_call<Bound<&Plan::grad_out, 0, &Plan::type>, Bound<&Plan::grad_input, 1, &Plan::type>>(
      call, make_plan(call), is_empty(*call.grad_input.desc));
}

}  // namespace cairn::upsample_nearest_backward
