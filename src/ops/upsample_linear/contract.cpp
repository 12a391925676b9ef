#include "ops/upsample_linear/contract.h"

#include <cmath>

#include "ops/checks/upsampling_limits.h"
#include "ops/upsample_linear/plan.h"
#include "tensor/text.h"

namespace cairn::upsample_linear {
namespace {

using upsampling::Call;

constexpr double kMostRatio = 50;

Complaint only_batch_empty(const Call& call) { return cairn::only_batch_empty(call.self); }
Complaint out_shape(const Call& call) { return upsampling::upsampled_shape(call, call.out, call.self); }

// Of lines, older products ask for the very size and know 0 as a scale like any other.
Complaint line_scale_gives_size(const Call& call) {
  if (!call.support().exact_scales) return resampling::scales_give_sizes(call, call.self);
  const double scale = call.scale(0);
  const double length = std::trunc(static_cast<double>(call.self.dims()[2]) * scale);
  if (!(scale >= 0) || length == static_cast<double>(call.output_size[0])) return {};
  return sentence(upsampling::scale_name(call, 0), " ", scale, " does not give outputSize ",
                  call.output_size.values(), " from self ", call.self.dims(),
                  ", expected outputSize = floor(inputSize * scale), or a negative scale for none ",
                  where(call));
}

Complaint scales_give_sizes(const Call& call) { return resampling::scales_give_sizes(call, call.self); }

Complaint volume_shrinks_little(const Call& call) {
  if (!call.support().ratio_limits) return {};
  return upsampling::ratios(call, call.self, call.out, "a size at least a fiftieth",
                            [](double, std::int64_t in, std::int64_t out) {
                              return static_cast<double>(in) / static_cast<double>(out) <= kMostRatio;
                            });
}

// Those that count, which are all or none.
Complaint volume_scales_small(const Call& call) {
  if (!call.support().ratio_limits || call.align_corners()) return {};
  if (!upsampling::is_looked_at(call, 0, resampling::is_usable)) return {};
  return upsampling::ratios(call, call.self, call.out, "scales of at most 50",
                            [](double scale, std::int64_t, std::int64_t) { return scale <= kMostRatio; });
}

// How products compute it: linear ones divide whole numbers, cubic ones floats.
Complaint linear_shrinks_little(const Call& call) {
  if (!call.support().ratio_limits) return {};
  return upsampling::ratios(call, call.self, call.out, "a size at least a fiftieth",
                            [](double scale, std::int64_t in, std::int64_t out) {
                              return scale > 0 ? 1 / scale <= kMostRatio : in / out <= 50;
                            });
}
Complaint cubic_shrinks_little(const Call& call) {
  if (!call.support().ratio_limits) return {};
  return upsampling::ratios(call, call.self, call.out, "a size at least a fiftieth",
                            [](double scale, std::int64_t in, std::int64_t out) {
                              const float ratio = scale > 0
                                                      ? static_cast<float>(1 / scale)
                                                      : static_cast<float>(in) / static_cast<float>(out);
                              return ratio <= static_cast<float>(kMostRatio);
                            });
}

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

constexpr std::array kSizes = {
    upsampling::kOutputSizePositive,
    Rule{"only_batch_empty", kInvalid, "Every dimension of {0} but N is greater than 0.", of_call<only_batch_empty>},
    Rule{"out_shape", kInvalid, "out has the N and C of {0}, and {axes} of outputSize.", of_call<out_shape>}};
constexpr Rule kScalesFit = {"scales_give_sizes", kInvalid, "Where the product asks for it, scales that count give outputSize.", of_call<scales_give_sizes>};

constexpr auto kLineRules = table(
    beginning(), kSizes,
    Rule{"scales_give_sizes", kInvalid, "Where the product asks for it, a scale that is not negative gives outputSize.", of_call<line_scale_gives_size>});
constexpr auto kPlaneRules = table(
    beginning(kFormatsAgree, kFormatsAllowed,
              Rule{"double_channels_last", kInvalid, "Where the product names formats, {0} of DOUBLE has {last}.", of_call<resampling::double_channels_last>}),
    kSizes, kScalesNotNegative);
constexpr auto kVolumeRules = table(
    beginning(kFormatsAgree, kFormatsAllowed), kSizes,
    kAxesWithinMebi, kMemoryWithinLimit, kRowsWithinLimit, kPlaneWithinLimit,
    Rule{"ratios_within_limit", kInvalid, "Where the product limits ratios, no axis of self is above 50 times that of out.", of_call<volume_shrinks_little>},
    Rule{"scales_within_limit", kInvalid, "Where the product limits ratios, no scale is above 50.", of_call<volume_scales_small>},
    kScalesFit);
constexpr auto kCubicRules = table(
    beginning(kFormatsAgree, kFormatsAllowed, kFormatsEqual), kSizes, kAxesWithinMebi, kMemoryWithinLimit, kRowsWithinLimit, kScalesFit);
constexpr auto kAntialiasedLinearRules = table(
    beginning(kFormatsAgree, kFormatsAllowed, kFormatsEqual), kSizes, kNotEmpty, kAxesWithinInt32, kRowsWithinLimit,
    Rule{"ratios_within_limit", kInvalid, "Where the product limits ratios, no axis shrinks by more than 50, scales or whole parts of sizes deciding.", of_call<linear_shrinks_little>},
    kScalesNotNegative, kScalesFit);
constexpr auto kAntialiasedCubicRules = table(
    beginning(kFormatsAgree, kFormatsAllowed), kSizes, kAxesWithinMebi, kMemoryWithinLimit, kRowsWithinLimit,
    Rule{"ratios_within_limit", kInvalid, "Where the product limits ratios, no axis shrinks by more than 50, scales or sizes deciding.", of_call<cubic_shrinks_little>},
    kScalesFit);
// clang-format on

Plan make_plan(const Call& call) {
  const Axes axes = upsampling::axes_of(call, call.self);
  const auto [d, h, w] =
      resampling::plane_axes(call, plane_of(*call.self.desc, axes), plane_of(*call.out.desc, axes));
  return {.type = static_cast<DataType>(call.self.desc->type),
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .d = d,
          .h = h,
          .w = w,
          .self = view_of(*call.self.desc, axes),
          .out = view_of(*call.out.desc, axes)};
}

}  // namespace

std::span<const Rule> linear_rules(int spatial) {
  if (spatial == 1) return kLineRules;
  if (spatial == 2) return kPlaneRules;
  return kVolumeRules;
}
std::span<const Rule> cubic_rules(int /*spatial*/) { return kCubicRules; }
std::span<const Rule> antialiased_linear_rules(int /*spatial*/) { return kAntialiasedLinearRules; }
std::span<const Rule> antialiased_cubic_rules(int /*spatial*/) { return kAntialiasedCubicRules; }

PlannedCall plan(const Call& call) {
  return planned_call<Bound<&Plan::self, 0, &Plan::type>, Bound<&Plan::out, 1, &Plan::type>>(
      call, make_plan(call), is_empty(*call.out.desc));
}

}  // namespace cairn::upsample_linear
