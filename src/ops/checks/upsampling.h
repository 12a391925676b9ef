#pragma once

#include <array>

#include "ops/axes.h"
#include "ops/checks/rules.h"

// What the contracts of upsampling share, forward and backward.
namespace cairn::upsampling {

struct Call : CallBase {
  using CallBase::CallBase;

  // Of a spatial axis, 0 being the first; 0 where the operator has no scales.
  double scale(std::size_t axis) const { return axis < number_count() ? number(axis) : 0; }
  // Of those that have it.
  bool align_corners() const { return integer(0) != 0; }

  // Of aclnnResize, in place of outputSize: a factor for each axis, and how cells are resized.
  const FloatArrayArgument& factors() const { return floats(); }
  const char* mode() const { return text(); }

  const ArrayArgument& output_size = array(0);
  // Of the forward.
  const TensorArgument& self = tensor(0);
  const TensorArgument& out = tensor(1);
  // Of the backward.
  const TensorArgument& grad_out = tensor(0);
  const TensorArgument& grad_input = tensor(1);
  const ArrayArgument& input_size = array(1);
};

// What the descriptors share.
inline constexpr TypeSet kTypes = {DataType::kFloat, DataType::kFloat16, DataType::kBf16, DataType::kDouble};
inline constexpr TypeSet kThreeTypes = {DataType::kFloat, DataType::kFloat16, DataType::kBf16};
inline constexpr std::array kScaleArguments = {
    ArgumentInfo{"scalesD", Kind::kDouble, "upsampled size over size along D, or 0"},
    ArgumentInfo{"scalesH", Kind::kDouble, "the same along H"},
    ArgumentInfo{"scalesW", Kind::kDouble, "the same along W"},
};
inline constexpr std::array kPlaneScaleArguments = {
    ArgumentInfo{"scalesH", Kind::kDouble, "upsampled size over size along H, or 0"},
    ArgumentInfo{"scalesW", Kind::kDouble, "the same along W"},
};
inline constexpr ArgumentInfo kLineScaleArgument = {"scales", Kind::kDouble,
                                                    "upsampled size over size along L, or 0"};
inline constexpr FormatSet kLineFormats = {ACL_FORMAT_NCL, ACL_FORMAT_ND};
inline constexpr FormatSet kPlaneFormats = {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC};

// Positions by their centres.
constexpr Operator exact(Operator op, Resizing::Scales scales) {
  op.resizing = {.shift = 0.5F, .scales = scales};
  return op;
}
constexpr Operator nearest(Operator op, Resizing::Scales scales) {
  op.resizing.scales = scales;
  return op;
}

// Where a tensor of N, C and spatial axes, or a list of its sizes, keeps them.
bool channels_last(const Call& call, const TensorArgument& tensor);
Axes axes_of(const Call& call, const TensorArgument& tensor);
Axes axes_of(const Call& call, bool channels_last);

// Whether a scale would count on its own: positive, and finite as a float.
bool is_usable(double scale);
// Whether the scale of an axis counts rather than its sizes.
bool scale_counts(const Call& call, std::size_t axis, std::int64_t in, std::int64_t out);
const char* scale_name(const Call& call, std::size_t axis);
// Whether a scale is looked at, if holds() says which ones are.
bool is_looked_at(const Call& call, std::size_t axis, bool (*holds)(double));

// Float steps along D, H and W, from what step(scale, input, output, given) says of each axis that there is.
template <typename Step>
std::array<float, 3> steps_of(const Call& call, const Size3& in, const Size3& out, const Step& step) {
  const std::array<std::int64_t, 3> inputs = {in.d, in.h, in.w};
  const std::array<std::int64_t, 3> outputs = {out.d, out.h, out.w};
  std::array<float, 3> result = {1, 1, 1};
  const auto absent = 3 - static_cast<std::size_t>(call.spatial());
  for (std::size_t i = absent; i < 3; ++i) {
    const std::size_t axis = i - absent;
    result[i] =
        step(call.scale(axis), inputs[i], outputs[i], scale_counts(call, axis, inputs[i], outputs[i]));
  }
  return result;
}

Complaint output_size_length(const Call& call);
Complaint output_size_positive(const Call& call);
Complaint ranks_allowed(const Call& call);
Complaint data_type_supported(const Call& call);
Complaint data_types_equal(const Call& call);
Complaint formats_agree(const Call& call);
Complaint formats_allowed(const Call& call);
Complaint formats_equal(const Call& call);
// `small` is the tensor that is upsampled, or its gradient; `large` the upsampled one.
Complaint upsampled_shape(const Call& call, const TensorArgument& large, const TensorArgument& small);
// Of volumes by their neighbours, where each scale is positive; of the others, those that count.
Complaint positive_scales_give_sizes(const Call& call, const TensorArgument& small);
Complaint counting_scales_give_sizes(const Call& call, const TensorArgument& small);
Complaint scales_give_sizes(const Call& call, const TensorArgument& small, bool (*holds)(double));
Complaint scales_not_negative(const Call& call);
// No dimension of either tensor, where the product limits sizes.
Complaint axes_at_most(const Call& call, std::int64_t most);
template <std::int64_t kMost>
Complaint axes_within(const Call& call) {
  return axes_at_most(call, kMost);
}

// clang-format off
inline constexpr Rule kOutputSizeLength = {"output_size_length", kInvalid, "outputSize has length {n}.", of_call<output_size_length>};
inline constexpr Rule kOutputSizePositive = {"output_size_positive", kInvalid, "Every value of outputSize is greater than 0.", of_call<output_size_positive>};
inline constexpr Rule kFormatsAgree = {"formats_agree", kInvalid, "Both {0} and {1} have the {last} flag, or neither.", of_call<formats_agree>};
inline constexpr Rule kFormatsAllowed = {"formats_allowed", kInvalid, "Where the product names formats, {0} and {1} have one of them.", of_call<formats_allowed>};
inline constexpr Rule kFormatsEqual = {"formats_equal", kInvalid, "Where the product names formats, {1} has that of {0}.", of_call<formats_equal>};
inline constexpr Rule kScalesNotNegative = {"scales_not_negative", kInvalid, "No scale is negative.", of_call<scales_not_negative>};
inline constexpr Rule kAxesWithinMebi = {"axes_within_limit", kInvalid, "Where the product limits sizes, no dimension is above 2^20.", of_call<axes_within<(1 << 20)>>};
inline constexpr Rule kAxesWithinInt32 = {"axes_within_limit", kInvalid, "Where the product limits sizes, no dimension is above 2^31 − 1.", of_call<axes_within<INT32_MAX>>};

// How the tables begin, with what each says of the type that is written and of formats.
template <typename... Formats>
constexpr auto beginning_with(const Rule& written_type, const Formats&... formats) {
  return table(
      kOpening,
      Rule{"data_type_supported", kInvalid, "{0} has a data type that the product allows.", of_call<data_type_supported>},
      written_type,
      kFormatsPublic,
      formats...,
      Rule{"ranks_allowed", kInvalid, "{0} and {1} have {rank} dimensions.", of_call<ranks_allowed>},
      kGeometry,
      Rule{"output_not_overlapping", kInvalid, "No two elements of {1} share memory.", output_not_overlapping},
      kOutputSizeLength);
}
template <typename... Formats>
constexpr auto beginning(const Formats&... formats) {
  return beginning_with(Rule{"data_types_equal", kInvalid, "{1} has the data type of {0}.", of_call<data_types_equal>}, formats...);
}
// clang-format on

}  // namespace cairn::upsampling
