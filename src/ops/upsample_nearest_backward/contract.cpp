#include "ops/upsample_nearest_backward/contract.h"

#include "ops/upsample_nearest_backward/plan.h"
#include "runtime/bridge.h"
#include "tensor/text.h"

namespace cairn::upsample_nearest_backward {
namespace {

using upsampling::Call;

__extension__ using Wide = __int128;

constexpr std::int64_t kMemory = std::int64_t{60} << 30;
constexpr std::int64_t kRows = std::int64_t{1} << 31;
constexpr double kMostRatio = 50;

bool channels_last(const Call& call) { return upsampling::channels_last(call, call.grad_out); }

Axes axes_of(const Call& call) { return upsampling::axes_of(call, call.grad_out); }

// The two orders in which inputSize may list the sizes.
Axes channels_second(const Call& call) { return upsampling::axes_of(call, false); }
Axes channels_at_end(const Call& call) { return upsampling::axes_of(call, true); }

// D, H and W have positions; N and C may be 0.
bool sizes_make_sense(const Call& call, const Axes& order) {
  const auto& sizes = call.input_size.values();
  return size_along(order.n, sizes) >= 0 && size_along(order.c, sizes) >= 0 &&
         size_along(order.d, sizes) > 0 && size_along(order.h, sizes) > 0 && size_along(order.w, sizes) > 0;
}

// Whether inputSize, read in this order, is gradInput.
bool input_size_fits(const Call& call, const Axes& order) {
  const auto& sizes = call.input_size.values();
  const auto& dims = call.grad_input.dims();
  const Axes axes = axes_of(call);
  const auto same = [&](int Axes::*axis) {
    return size_along(order.*axis, sizes) == size_along(axes.*axis, dims);
  };
  return sizes_make_sense(call, order) && same(&Axes::n) && same(&Axes::c) && same(&Axes::d) &&
         same(&Axes::h) && same(&Axes::w);
}

Complaint input_size_length(const Call& call) {
  return length_among(call.input_size, {static_cast<std::size_t>(call.spatial()) + 2});
}

Complaint input_size_positive(const Call& call) {
  if (sizes_make_sense(call, channels_second(call))) return {};
  if (channels_last(call) && sizes_make_sense(call, channels_at_end(call))) return {};
  return sentence("inputSize is ", call.input_size.values(),
                  in_words(", expected {axes} to be greater than 0, N and C not to be negative", call.op));
}

Complaint grad_input_shape(const Call& call) {
  if (input_size_fits(call, channels_second(call))) return {};
  if (channels_last(call) && input_size_fits(call, channels_at_end(call))) return {};
  return sentence(call.grad_input.name, " has shape ", call.grad_input.dims(), " and format ",
                  call.grad_input.desc->format, ", expected that of inputSize ", call.input_size.values());
}

Complaint grad_out_shape(const Call& call) {
  return upsampling::upsampled_shape(call, call.grad_out, call.grad_input);
}

// `bytes` of an element in the buffers.
Complaint memory_within(const Call& call, std::int64_t bytes) {
  const Axes axes = axes_of(call);
  const Size3 out = plane_of(*call.grad_out.desc, axes);
  const Size3 in = plane_of(*call.grad_input.desc, axes);
  const auto& dims = call.grad_input.dims();
  const Wide planes = Wide{size_along(axes.n, dims)} * size_along(axes.c, dims);
  const Wide cells = Wide{out.count()} + in.count() + Wide{out.d} * out.h * in.w + Wide{out.d} * in.h * in.w;
  // Without limits the product could pass what Wide holds; the rule before this one keeps it far away.
  if (!call.support().size_limits || planes * cells * bytes < kMemory) return {};
  const auto gibibytes = static_cast<std::int64_t>(planes * cells * bytes >> 30);
  return sentence("gradOut ", call.grad_out.dims(), " and gradInput ", dims, " need ", gibibytes,
                  " GiB for buffers of ", bytes, " bytes an element, expected less than 60 ", where(call));
}

Complaint memory_of_floats(const Call& call) { return memory_within(call, sizeof(float)); }

Complaint memory_of_elements(const Call& call) {
  return memory_within(call, static_cast<std::int64_t>(aclDataTypeSize(call.grad_out.desc->type)));
}

Complaint rows_within_limit(const Call& call) {
  const Axes axes = axes_of(call);
  const auto& dims = call.grad_out.dims();
  const std::int64_t rows = saturating_product({size_along(axes.n, dims), size_along(axes.c, dims),
                                                size_along(axes.d, dims), size_along(axes.h, dims)});
  if (rows < kRows || !call.support().size_limits) return {};
  return sentence("gradOut has shape ", dims, " with N·C·D·H = ", rows, ", expected less than ", kRows, " ",
                  where(call));
}

Complaint plane_within_limit(const Call& call) {
  const Size3 in = plane_of(*call.grad_input.desc, axes_of(call));
  const std::int64_t positions = in.h * in.w;
  if (positions < kRows || !call.support().size_limits) return {};
  return sentence("gradInput has shape ", call.grad_input.dims(), " with H·W = ", positions,
                  ", expected less than ", kRows, " ", where(call));
}

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
  const std::size_t first = channels_last(call) ? 1 : 2;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(call.spatial()); ++axis) {
    const std::int64_t in = call.grad_input.dims()[first + axis];
    const std::int64_t out = call.grad_out.dims()[first + axis];
    if (ratio_is_small(call, call.scale(axis), in, out)) continue;
    return sentence(upsampling::scale_name(call, axis), " is ", call.scale(axis), " and ",
                    axis_name(call.spatial(), axis), " grows from ", in, " to ", out,
                    ", expected at most 50 times the size ", where(call));
  }
  return {};
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

// With what each says of the shape of the result.
constexpr auto sizes(const char* grad_input_text) {
  return std::array{
      Rule{"input_size_length", kInvalid, "inputSize has length {rank}.", of_call<input_size_length>},
      upsampling::kOutputSizePositive,
      Rule{"input_size_positive", kInvalid, "{axes} of inputSize {are} greater than 0; N and C are not negative.", of_call<input_size_positive>},
      Rule{"grad_input_shape", kInvalid, grad_input_text, of_call<grad_input_shape>},
      Rule{"grad_out_shape", kInvalid, "{0} has the N and C of {1}, and {axes} of outputSize.", of_call<grad_out_shape>}};
}
constexpr auto kLineSizes = sizes("{1} has the shape inputSize gives.");
constexpr auto kSizes = sizes("{1} has the shape inputSize gives; with {last} in either order.");
constexpr std::array kPlanesWithinLimit = {
    Rule{"rows_within_limit", kInvalid, "Where the product limits sizes, N·C·oD·oH is less than 2^31.", of_call<rows_within_limit>},
    Rule{"plane_within_limit", kInvalid, "Where the product limits sizes, iH·iW is less than 2^31.", of_call<plane_within_limit>}};
constexpr Rule kRatiosWithinLimit = {"ratios_within_limit", kInvalid, "Where the product limits sizes, no scale is above 50, nor without one the size of {0} above 50 times that of {1}.", of_call<ratios_within_limit>};
constexpr Rule kScalesFit = {"scales_give_sizes", kInvalid, "Where the product asks for it, scales that count give outputSize.", of_call<counting_scales>};

constexpr auto kLineRules = table(beginning(kFormatsAllowed), kLineSizes);
constexpr auto kPlaneRules = table(beginning(kFormatsAgree, kFormatsAllowed), kSizes, kScalesFit);
constexpr auto kVolumeRules = table(
    beginning(kFormatsAgree), kSizes, upsampling::kAxesWithinMebi,
    Rule{"memory_within_limit", kInvalid, "Where the product limits sizes, N·C·(oD·oH·oW + iD·iH·iW + oD·oH·iW + oD·iH·iW)·4 is less than 60 GiB.", of_call<memory_of_floats>},
    kPlanesWithinLimit,
    Rule{"scales_give_sizes", kInvalid, "Where the product asks for it, positive scales give outputSize.", of_call<positive_scales>});

constexpr auto kLineExactRules = table(
    beginning(kFormatsAllowed, kFormatsEqual), kLineSizes, kRatiosWithinLimit, upsampling::kScalesNotNegative, kScalesFit);
constexpr auto kPlaneExactRules = table(
    beginning(kFormatsAgree, kFormatsAllowed, kFormatsEqual), kSizes, kRatiosWithinLimit, upsampling::kScalesNotNegative, kScalesFit);
constexpr auto kVolumeExactRules = table(
    beginning(kFormatsAgree), kSizes, upsampling::kAxesWithinMebi,
    Rule{"memory_within_limit", kInvalid, "Where the product limits sizes, N·C·(oD·oH·oW + iD·iH·iW + oD·oH·iW + oD·iH·iW)·bytes of an element is less than 60 GiB.", of_call<memory_of_elements>},
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

// The order in which the product's page has inputSize with channels last: of volumes C is second even then.
void warn_of_order(const Call& call) {
  const bool volume = call.spatial() == 3;
  const Axes expected = volume ? channels_second(call) : channels_at_end(call);
  if (!channels_last(call) || input_size_fits(call, expected)) return;
  const char* const orders = volume ? " in the order {lastshape}; " : " in the order {shape}; ";
  const char* const wish = volume ? " may expect {shape}" : " may expect {lastshape}";
  cairn_runtime_bridge().warn(sentence(call.op.name, "GetWorkspaceSize: inputSize is ",
                                       call.input_size.values(), in_words(orders, call.op),
                                       call.product().title, in_words(wish, call.op)));
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
    warn_of_order(call);
    if (call.op.resizing.scales == Resizing::Scales::kIfFitting) warn_of_dropped_scale(call);
  }
  return planned_call<Bound<&Plan::grad_out, 0, &Plan::type>, Bound<&Plan::grad_input, 1, &Plan::type>>(
      call, make_plan(call), is_empty(*call.grad_input.desc));
}

}  // namespace cairn::upsample_nearest_backward
