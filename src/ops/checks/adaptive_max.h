#pragma once

#include "ops/checks/pooling.h"

// What the contracts of adaptive max pooling share, forward and backward, over 2 or 3 spatial axes.
namespace cairn::adaptive_max {

struct Call : pooling::Call {
  using pooling::Call::Call;

  const ArrayArgument& output_size = array(0);  // of the forward
};

// What the descriptors share.
inline constexpr TypeSet kTypes = pooling::kTypes;
inline constexpr TypeSet kIndexTypes = {DataType::kInt32, DataType::kInt64};

// How many windows there are along a spatial axis, 0 being the first of them.
std::int64_t output_size_on(const Call& call, std::size_t axis);

Complaint data_types_equal(const Call& call);
Complaint formats_equal(const Call& call);
Complaint formats_allowed(const Call& call);
Complaint output_size_length(const Call& call);
Complaint output_size_positive(const Call& call);
Complaint only_batch_empty(const Call& call);
Complaint out_shape(const Call& call);
Complaint indices_shape(const Call& call);

// Of the backward.
Complaint gradient_types_equal(const Call& call);
Complaint gradient_formats_equal(const Call& call);
Complaint gradient_indices_shape(const Call& call);
Complaint grad_input_shape(const Call& call);
Complaint grad_output_batch(const Call& call);
Complaint plane_within_limit(const Call& call);
Complaint uneven_plane_within_limit(const Call& call);

// clang-format off
inline constexpr auto kBeginning = table(
    kOpening,
    pooling::kDataTypeSupported,
    Rule{"data_types_equal", kInvalid, "{1} has the data type of self.", of_call<data_types_equal>},
    pooling::kIndexTypeSupported,
    kFormatsPublic,
    Rule{"formats_equal", kInvalid, "{1} has the format flag of self.", of_call<formats_equal>},
    Rule{"formats_allowed", kInvalid, "Where the product names formats, self has one of them; {last} then comes with an N.", of_call<formats_allowed>},
    pooling::kRanksAllowed,
    pooling::kRanksEqual,
    kGeometry,
    Rule{"output_not_overlapping", kInvalid, "No two elements of {1} share memory, and no two of {2}.", output_not_overlapping});

inline constexpr std::array kForwardSizes = {
    Rule{"output_size_positive", kInvalid, "Every value of outputSize is greater than 0.", of_call<output_size_positive>},
    Rule{"only_batch_empty", kInvalid, "Every dimension of self is greater than 0, but for N, or C where there is no N.", of_call<only_batch_empty>},
    pooling::kPlaneWithinIndex,
    Rule{"out_shape", kInvalid, "{1} has the N and C of self, and {axes} of outputSize.", of_call<out_shape>},
    Rule{"indices_shape", kInvalid, "{2} has the shape of {1}.", of_call<indices_shape>}};

inline constexpr auto kPlaneRules = table(
    kBeginning,
    Rule{"output_size_length", kInvalid, "outputSize has length {n}.", of_call<output_size_length>},
    kForwardSizes);
inline constexpr auto kVolumeRules = table(
    kBeginning,
    Rule{"output_size_length", kInvalid, "outputSize has length {n}; where the product allows it also 0, which means {axes} of self, or 1.", of_call<output_size_length>},
    kForwardSizes);

inline constexpr auto kGradientRules = table(
    kOpening,
    pooling::kDataTypeSupported,
    Rule{"data_types_equal", kInvalid, "gradOutput and gradInput have the data type of self.", of_call<gradient_types_equal>},
    pooling::kIndexTypeSupported,
    kFormatsPublic,
    Rule{"formats_equal", kInvalid, "gradOutput, gradInput and, unless the product is portable, indices have the format flag of self.", of_call<gradient_formats_equal>},
    pooling::kChannelsLastAllowed,
    pooling::kRanksAllowed,
    pooling::kRanksEqual,
    kGeometry,
    Rule{"output_not_overlapping", kInvalid, "No two elements of gradInput share memory.", output_not_overlapping},
    Rule{"indices_shape", kInvalid, "indices has the shape of gradOutput.", of_call<gradient_indices_shape>},
    Rule{"grad_input_shape", kInvalid, "gradInput has the shape of self.", of_call<grad_input_shape>},
    pooling::kPlaneWithinIndex);
inline constexpr std::array kGradientSizes = {
    Rule{"grad_output_batch", kInvalid, "gradOutput has the N and C of self.", of_call<grad_output_batch>},
    Rule{"uneven_plane_within_limit", kInvalid, "{plane} of self is within the product's limit, unless {axes} are multiples of those of gradOutput.", of_call<uneven_plane_within_limit>}};

inline constexpr auto kPlaneGradientRules = table(
    kGradientRules,
    Rule{"plane_within_limit", kInvalid, "{plane} of self is within the product's limit.", of_call<plane_within_limit>},
    kGradientSizes);
inline constexpr auto kVolumeGradientRules = table(kGradientRules, kGradientSizes);
// clang-format on

}  // namespace cairn::adaptive_max
