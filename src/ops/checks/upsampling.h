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
inline constexpr std::array kScaleArguments = {
    ArgumentInfo{"scalesD", Kind::kDouble, "upsampled size over size along D, or 0"},
    ArgumentInfo{"scalesH", Kind::kDouble, "the same along H"},
    ArgumentInfo{"scalesW", Kind::kDouble, "the same along W"},
};

// Where a tensor of N, C and spatial axes, or a list of its sizes, keeps them.
bool channels_last(const Call& call, const TensorArgument& tensor);
Axes axes_of(const Call& call, const TensorArgument& tensor);
Axes axes_of(const Call& call, bool channels_last);

// Whether the scales count rather than the sizes, on every axis or on none: one that is not positive, or not
// finite as a float, makes the sizes decide.
bool scales_count(const Call& call);

// Float steps along D, H and W, from what step(scale, input, output, given) says of each axis that there is.
template <typename Step>
std::array<float, 3> steps_of(const Call& call, const Size3& in, const Size3& out, const Step& step) {
  const bool given = scales_count(call);
  const std::array<std::int64_t, 3> inputs = {in.d, in.h, in.w};
  const std::array<std::int64_t, 3> outputs = {out.d, out.h, out.w};
  std::array<float, 3> result = {1, 1, 1};
  const auto absent = 3 - static_cast<std::size_t>(call.spatial());
  for (std::size_t i = absent; i < 3; ++i)
    result[i] = step(call.scale(i - absent), inputs[i], outputs[i], given);
  return result;
}

Complaint output_size_length(const Call& call);
Complaint output_size_positive(const Call& call);
Complaint ranks_allowed(const Call& call);
Complaint data_type_supported(const Call& call);
Complaint data_types_equal(const Call& call);
Complaint formats_agree(const Call& call);
// `small` is the tensor that is upsampled, or its gradient; `large` the upsampled one.
Complaint upsampled_shape(const Call& call, const TensorArgument& large, const TensorArgument& small);
Complaint scales_give_sizes(const Call& call, const TensorArgument& small);

// clang-format off
inline constexpr Rule kOutputSizeLength = {"output_size_length", kInvalid, "outputSize has length {n}.", of_call<output_size_length>};
inline constexpr Rule kOutputSizePositive = {"output_size_positive", kInvalid, "Every value of outputSize is greater than 0.", of_call<output_size_positive>};

// How the tables begin.
inline constexpr auto kBeginning = table(
    kOpening,
    Rule{"data_type_supported", kInvalid, "{0} has a data type that the product allows.", of_call<data_type_supported>},
    Rule{"data_types_equal", kInvalid, "{1} has the data type of {0}.", of_call<data_types_equal>},
    kFormatsPublic,
    Rule{"formats_agree", kInvalid, "Both {0} and {1} have the {last} flag, or neither.", of_call<formats_agree>},
    Rule{"ranks_allowed", kInvalid, "{0} and {1} have {rank} dimensions.", of_call<ranks_allowed>},
    kGeometry,
    Rule{"output_not_overlapping", kInvalid, "No two elements of {1} share memory.", output_not_overlapping},
    kOutputSizeLength);
// clang-format on

}  // namespace cairn::upsampling
