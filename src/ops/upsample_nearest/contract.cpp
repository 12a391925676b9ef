#include "ops/upsample_nearest/contract.h"

#include <algorithm>
#include <limits>

#include "ops/upsample_nearest/plan.h"
#include "tensor/text.h"

namespace cairn::upsample_nearest {
namespace {

using upsampling::Call;

__extension__ using Wide = __int128;

constexpr std::int64_t kMemory = std::int64_t{60} << 30;
constexpr std::int64_t kExactInFloat = std::int64_t{1} << 24;

Axes axes_of(const Call& call) { return upsampling::axes_of(call, call.self); }

Complaint only_batch_empty(const Call& call) { return cairn::only_batch_empty(call.self); }

Complaint plane_not_empty(const Call& call) {
  if (plane_of(*call.self.desc, axes_of(call)).count() > 0) return {};
  return sentence("self has shape ", call.self.dims(),
                  in_words(", expected {axes} to be greater than 0", call.op));
}

Complaint out_shape(const Call& call) { return upsampling::upsampled_shape(call, call.out, call.self); }

// Types that some products compute on their host processor.
bool is_host_type(const Call& call) {
  return TypeSet{DataType::kDouble, DataType::kUint8}.has(call.self.desc->type);
}

Complaint axes_within_int32(const Call& call) {
  if (is_host_type(call)) return {};
  return upsampling::axes_at_most(call, INT32_MAX);
}

Complaint lines_at_most(const Call& call, const TensorArgument& tensor, std::int64_t most) {
  if (!call.support().size_limits || !is_host_type(call)) return {};
  const Size3 plane = plane_of(*tensor.desc, upsampling::axes_of(call, tensor));
  if (std::max({plane.d, plane.h, plane.w}) <= most) return {};
  return sentence(tensor.name, " has shape ", tensor.dims(), " and data type ", tensor.desc->type,
                  in_words(", expected {axes} to be at most ", call.op), most, " ", where(call));
}

Complaint lines_of_self(const Call& call) { return lines_at_most(call, call.self, kExactInFloat - 1); }

Complaint lines_of_both(const Call& call) {
  return first_of(lines_at_most(call, call.self, kExactInFloat),
                  lines_at_most(call, call.out, kExactInFloat));
}

// What the old layout of some products, with channels in sixteens, takes.
Complaint memory_within_limit(const Call& call) {
  if (!call.support().size_limits) return {};
  const Axes axes = axes_of(call);
  const auto& dims = call.self.dims();
  const Wide channels = (Wide{size_along(axes.c, dims)} + 15) / 16 * 16;
  const Wide cells = Wide{plane_of(*call.self.desc, axes).count()} + plane_of(*call.out.desc, axes).count();
  const Wide bytes = size_along(axes.n, dims) * channels * cells *
                     static_cast<std::int64_t>(aclDataTypeSize(call.self.desc->type));
  if (bytes < kMemory) return {};
  return sentence("self ", dims, " and out ", call.out.dims(), " need ",
                  static_cast<std::int64_t>(bytes >> 30),
                  " GiB with channels in sixteens, expected less than 60 ", where(call));
}

Complaint scales_not_negative(const Call& call) {
  if (!call.support().scales_must_fit) return {};
  return upsampling::scales_not_negative(call);
}

Complaint positive_scales(const Call& call) {
  return upsampling::positive_scales_give_sizes(call, call.self);
}
Complaint counting_scales(const Call& call) {
  return upsampling::counting_scales_give_sizes(call, call.self);
}

// clang-format off
using upsampling::beginning;
using upsampling::kFormatsAgree;
using upsampling::kFormatsAllowed;
using upsampling::kFormatsEqual;

constexpr Rule kOutShape = {"out_shape", kInvalid, "out has the N and C of self, and {axes} of outputSize.", of_call<out_shape>};
constexpr Rule kScalesFit = {"scales_give_sizes", kInvalid, "Where the product asks for it, scales that count give outputSize.", of_call<counting_scales>};
constexpr std::array kSizes = {
    upsampling::kOutputSizePositive,
    Rule{"only_batch_empty", kInvalid, "Every dimension of self but N is greater than 0.", of_call<only_batch_empty>},
    kOutShape};
constexpr std::array kSizesWithoutChannels = {
    upsampling::kOutputSizePositive,
    Rule{"plane_not_empty", kInvalid, "{axes} of self {are} greater than 0.", of_call<plane_not_empty>},
    kOutShape};
constexpr Rule kMemoryWithinLimit = {"memory_within_limit", kInvalid, "Where the product limits sizes, N·⌈C/16⌉·16·(the cells of a plane of self and of out)·bytes of an element is less than 60 GiB.", of_call<memory_within_limit>};
constexpr Rule kLinesOfSelf = {"lines_within_limit", kInvalid, "Where the product limits sizes, {axes} of self {are} less than 2^24 for DOUBLE and UINT8.", of_call<lines_of_self>};

constexpr auto kVolumeRules = table(
    beginning(kFormatsAgree), kSizes,
    Rule{"scales_give_sizes", kInvalid, "Where the product asks for it, positive scales give outputSize.", of_call<positive_scales>});

constexpr auto kLineRules = table(beginning(kFormatsAllowed), kSizes, kLinesOfSelf);
constexpr auto kPlaneRules = table(beginning(kFormatsAgree, kFormatsAllowed), kSizes, upsampling::kAxesWithinMebi, kMemoryWithinLimit);

constexpr auto kLineV2Rules = table(
    beginning(kFormatsAllowed), kSizes, upsampling::kAxesWithinInt32,
    Rule{"lines_within_limit", kInvalid, "Where the product limits sizes, L of self and of out is at most 2^24 for DOUBLE and UINT8.", of_call<lines_of_both>},
    kScalesFit);
constexpr auto kPlaneV2Rules = table(
    beginning(kFormatsAgree, kFormatsAllowed), kSizesWithoutChannels,
    Rule{"axes_within_limit", kInvalid, "Where the product limits sizes, no dimension is above 2^31 − 1, but for DOUBLE and UINT8.", of_call<axes_within_int32>},
    kLinesOfSelf, kScalesFit);

constexpr auto kLineExactRules = table(
    beginning(kFormatsAllowed, kFormatsEqual), kSizes, upsampling::kAxesWithinMebi, kMemoryWithinLimit, kScalesFit);
constexpr auto kPlaneExactRules = table(
    beginning(kFormatsAgree, kFormatsAllowed, kFormatsEqual), kSizesWithoutChannels, upsampling::kAxesWithinMebi, kMemoryWithinLimit,
    Rule{"scales_not_negative", kInvalid, "Where the product asks for scales that give the sizes, none is negative.", of_call<scales_not_negative>},
    kScalesFit);
constexpr auto kVolumeExactRules = table(beginning(kFormatsAgree), kSizes, upsampling::kAxesWithinInt32, kScalesFit);
// clang-format on

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 in = plane_of(*call.self.desc, axes);
  const Size3 out = plane_of(*call.out.desc, axes);
  const auto step = [](double scale, std::int64_t input, std::int64_t output, bool given) {
    const float ratio =
        given ? static_cast<float>(1.0 / scale) : static_cast<float>(input) / static_cast<float>(output);
    // An infinite step would make no position of the first one, 0 * inf; the largest finite leads from any
    // other to the last as well.
    return std::min(ratio, std::numeric_limits<float>::max());
  };
  const auto [scale_d, scale_h, scale_w] = upsampling::steps_of(call, in, out, step);
  return {.type = static_cast<DataType>(call.self.desc->type),
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .in = in,
          .out = out,
          .scale_d = scale_d,
          .scale_h = scale_h,
          .scale_w = scale_w,
          .shift = call.op.resizing.shift,
          .self = view_of(*call.self.desc, axes),
          .values = view_of(*call.out.desc, axes)};
}

}  // namespace

std::span<const Rule> rules(int /*spatial*/) { return kVolumeRules; }

std::span<const Rule> plain_rules(int spatial) {
  if (spatial == 1) return kLineRules;
  return kPlaneRules;
}

std::span<const Rule> v2_rules(int spatial) {
  if (spatial == 1) return kLineV2Rules;
  return kPlaneV2Rules;
}

std::span<const Rule> exact_rules(int spatial) {
  if (spatial == 1) return kLineExactRules;
  if (spatial == 2) return kPlaneExactRules;
  return kVolumeExactRules;
}

PlannedCall plan(const Call& call) {
  return planned_call<Bound<&Plan::self, 0, &Plan::type>, Bound<&Plan::values, 1, &Plan::type>>(
      call, make_plan(call), is_empty(*call.out.desc));
}

}  // namespace cairn::upsample_nearest
