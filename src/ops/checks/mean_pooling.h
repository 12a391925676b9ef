#pragma once

#include <array>

#include "ops/checks/pooling.h"
#include "ops/kit/mean_axis.h"

// What the contracts of mean pooling share, forward and backward, with windows and adaptive.
namespace cairn::mean_pooling {

struct Call : pooling::Call {
  using pooling::Call::Call;

  // With windows.
  const bool count_include_pad = integer(1) != 0;
  const std::int64_t divisor_override = integer(2);  // 0: not given
  const std::int64_t cube_math_type = integer(3);    // of images

  // Adaptive, forward.
  const ArrayArgument& output_size = array(0);

  // The windows' tensor and that of the cells, whose values or gradients they are.
  const TensorArgument& windows = is_backward() ? grad_output : out;
  const TensorArgument& written = is_backward() ? grad_input : out;
};

// What the descriptors share.
inline constexpr TypeSet kTwoTypes = {DataType::kFloat, DataType::kFloat16};
inline constexpr FormatSet kPlaneFormats = {ACL_FORMAT_NCHW, ACL_FORMAT_NCL};
inline constexpr std::array kMeanArguments = {
    ArgumentInfo{"ceilMode", Kind::kBool, "whether the output size is rounded up"},
    ArgumentInfo{"countIncludePad", Kind::kBool,
                 "whether a window is divided by its cells and padding, or by its cells alone"},
    ArgumentInfo{"divisorOverride", Kind::kInt64, "what every window is divided by instead, unless it is 0"},
};
inline constexpr ArgumentInfo kCubeMathType = {
    "cubeMathType", Kind::kInt8, "which loss of precision is permitted: 0 to 3; none is made use of"};

Complaint arguments_not_null(const CallBase& call);
Complaint data_types_equal(const Call& call);
Complaint formats_equal(const Call& call);
Complaint formats_allowed(const Call& call);
Complaint format_named(const Call& call);
Complaint kernel_within_self(const Call& call);
Complaint windows_shape(const Call& call);
Complaint written_shape(const Call& call);
Complaint cube_math_type_allowed(const Call& call);
Complaint divisor_within_limit(const Call& call);
Complaint output_size_length(const Call& call);
Complaint output_size_allowed(const Call& call);
Complaint out_has_output_size(const Call& call);
Complaint self_has_cells(const Call& call);
Complaint gradient_has_windows(const Call& call);
Complaint gradient_batch(const Call& call);
Complaint single_windows(const Call& call);

// The rules over these. {0} … are the tensors: self and out, or gradOutput, self and what is written.

// clang-format off
inline constexpr Rule kStrideMayBeNull = {"arguments_not_null", kNull, "No pointer argument is null, workspaceSize and executor included; stride may be where the product takes it as empty.", arguments_not_null};
inline constexpr Rule kOutputNotOverlapping = {"output_not_overlapping", kInvalid, "No two elements of {1} share memory.", output_not_overlapping};
inline constexpr Rule kGradientNotOverlapping = {"output_not_overlapping", kInvalid, "No two elements of {2} share memory.", output_not_overlapping};
inline constexpr Rule kTypesEqual = {"data_types_equal", kInvalid, "{1} has the data type of self.", of_call<data_types_equal>};
inline constexpr Rule kGradientTypesEqual = {"data_types_equal", kInvalid, "{0} and {2} have the data type of self.", of_call<data_types_equal>};
inline constexpr Rule kFormatsEqual = {"formats_equal", kInvalid, "{1} has the format flag of self.", of_call<formats_equal>};
inline constexpr Rule kGradientFormatsEqual = {"formats_equal", kInvalid, "{0} and {2} have the format flag of self.", of_call<formats_equal>};
inline constexpr Rule kFormatsAllowed = {"formats_allowed", kInvalid, "Where the product names formats, the flag is NCHW with 4 dimensions and NCL with 3.", of_call<formats_allowed>};
inline constexpr Rule kGradientFormatsAllowed = {"formats_allowed", kInvalid, "Where the product names formats, the flag is NCHW or, with 3 dimensions, NCL.", of_call<formats_allowed>};
inline constexpr Rule kFormatNamed = {"formats_allowed", kInvalid, "Where the product names formats, self has one of them.", of_call<format_named>};
inline constexpr Rule kKernelWithinSelf = {"kernel_within_self", kInvalid, "kernelSize is at most the size of self on every axis.", of_call<kernel_within_self>};
inline constexpr Rule kOutShape = {"out_shape", kInvalid, "out has a position for each window.", of_call<windows_shape>};
inline constexpr Rule kGradOutputShape = {"grad_output_shape", kInvalid, "gradOutput has the shape of the forward output.", of_call<windows_shape>};
inline constexpr Rule kGradInputShape = {"grad_input_shape", kInvalid, "{2} has the shape of self.", of_call<written_shape>};
inline constexpr Rule kCubeMathTypeAllowed = {"cube_math_type_allowed", kInvalid, "cubeMathType has a value that the product allows with the data type.", of_call<cube_math_type_allowed>};
inline constexpr Rule kDivisorWithinLimit = {"divisor_within_limit", kInvalid, "Where the product limits divisorOverride, it is from −255 to 255.", of_call<divisor_within_limit>};
inline constexpr Rule kOutputSizeLength = {"output_size_length", kInvalid, "outputSize has length {n}.", of_call<output_size_length>};
inline constexpr Rule kOutputSizeAllowed = {"output_size_allowed", kInvalid, "Every value of outputSize is greater than 0, or 0 where the product allows it.", of_call<output_size_allowed>};
inline constexpr Rule kOutHasOutputSize = {"out_shape", kInvalid, "out has the N and C of self, and {axes} of outputSize.", of_call<out_has_output_size>};
inline constexpr Rule kSelfHasCells = {"self_has_cells", kInvalid, "Every dimension of self is greater than 0; N, or C where there is no N, may be 0 unless the product refuses it.", of_call<self_has_cells>};
inline constexpr Rule kGradientHasWindows = {"grad_output_has_windows", kInvalid, "{axes} of gradOutput {are} greater than 0.", of_call<gradient_has_windows>};
inline constexpr Rule kGradientBatch = {"grad_output_batch", kInvalid, "gradOutput has the N and C of self.", of_call<gradient_batch>};
inline constexpr Rule kSingleWindows = {"single_windows", kInvalid, "Where the product has no more, {axes} of gradOutput are 1.", of_call<single_windows>};
// clang-format on

// What is looked at before shapes: of images, and of volumes.
template <typename... Formats>
constexpr auto views(const Rule& types_equal, const Rule& formats_equal, const Rule& not_overlapping,
                     const Formats&... formats) {
  return table(pooling::kDataTypeSupported, types_equal, kFormatsPublic, formats_equal, formats...,
               pooling::kRanksAllowed, pooling::kRanksEqual, kGeometry, not_overlapping);
}
inline constexpr std::array kWindowLists = {pooling::kKernelSizeLength, pooling::kStrideLength,
                                            pooling::kPaddingLength,    pooling::kKernelSizePositive,
                                            pooling::kStridePositive,   pooling::kPaddingWithinHalf};

// What a plan has of them; `axis` is counted from D, and an axis that the call lacks has one cell.
struct Axes3 {
  MeanAxis d, h, w;
};
Axes3 window_axes(const Call& call);
Axes3 adaptive_axes(const Call& call);
// Of windows. Adaptive pooling divides by taps.
MeanDivisor divisor_of(const Call& call);

// A plan of either direction, but for its views.
template <typename Plan>
Plan without_views(const Call& call, const Axes3& along, const MeanDivisor& divisor) {
  const Axes axes = axes_of(call);
  Plan plan{};
  plan.type = static_cast<DataType>(call.self.desc->type);
  plan.n = size_along(axes.n, call.self.dims());
  plan.c = size_along(axes.c, call.self.dims());
  plan.d = along.d;
  plan.h = along.h;
  plan.w = along.w;
  plan.divisor = divisor;
  return plan;
}

}  // namespace cairn::mean_pooling
