#pragma once

#include <array>
#include <tuple>

#include "ops/checks/checks.h"

// Rules that several operators have. A Call offers arguments(), in the API's order, tensors() and outputs().
namespace cairn {

inline constexpr Status kNull = ACLNN_ERR_PARAM_NULLPTR;
inline constexpr Status kInvalid = ACLNN_ERR_PARAM_INVALID;

// A check of what several operators' calls have in common, as a rule of one of them.
template <auto Check, typename Call>
Complaint shared(const Call& call) {
  return Check(call);
}

// The text of output_not_overlapping names the outputs, so each operator has its own.
template <typename Call>
Complaint output_not_overlapping(const Call& call) {
  return each(call.outputs(), elements_apart);
}

template <typename Call>
inline constexpr Rule<Call> kArgumentsNotNull = {
    "arguments_not_null", kNull, "No pointer argument is null, workspaceSize and executor included.",
    [](const Call& call) { return each(call.arguments(), not_null); }};

template <typename Call>
inline constexpr Rule<Call> kHandlesLive = {"handles_live", kInvalid,
                                            "Every tensor and array is a live handle of its type.",
                                            [](const Call& call) { return each(call.arguments(), is_live); }};

template <typename Call>
inline constexpr Rule<Call> kProductKnown = {"product_known", kInvalid, "CAIRN_PRODUCT names a product.",
                                             [](const Call& call) -> Complaint { return call.choice.error; }};

template <typename Call>
inline constexpr Rule<Call> kOperatorOffered = {"operator_offered", kInvalid,
                                                "The product offers the operator.", shared<offered>};

template <typename Call>
inline constexpr Rule<Call> kFormatsPublic = {
    "formats_public", kInvalid, "Every tensor's format is a value of aclFormat, and none is a private one.",
    [](const Call& call) { return each(call.tensors(), format_public); }};

template <typename Call>
inline constexpr Rule<Call> kDimsNotNegative = {
    "dims_not_negative", kInvalid, "No tensor has a negative dimension.",
    [](const Call& call) { return each(call.tensors(), no_negative_dim); }};

template <typename Call>
inline constexpr Rule<Call> kStridesNotNegative = {
    "strides_not_negative", kInvalid, "No tensor has a negative stride.",
    [](const Call& call) { return each(call.tensors(), no_negative_stride); }};

template <typename Call>
inline constexpr Rule<Call> kOffsetsNotNegative = {
    "offsets_not_negative", kInvalid, "No tensor has a negative offset.",
    [](const Call& call) { return each(call.tensors(), no_negative_offset); }};

template <typename Call>
inline constexpr Rule<Call> kSizesFit = {"sizes_fit", kInvalid,
                                         "No tensor spans more bytes than 64 bits can count.",
                                         [](const Call& call) { return each(call.tensors(), span_fits); }};

template <typename Call>
inline constexpr Rule<Call> kViewsInsideStorage = {
    "views_inside_storage", kInvalid,
    "No tensor reaches outside its storage, where a storage shape is given.",
    [](const Call& call) { return each(call.tensors(), inside_storage); }};

template <typename Call>
inline constexpr Rule<Call> kRanksEqual = {
    "ranks_equal", kInvalid, "All tensors have as many dimensions as self.", [](const Call& call) {
      return each(call.tensors(), [&](const TensorArgument& tensor) { return same_rank(tensor, call.self); });
    }};

template <typename Call>
inline constexpr Rule<Call> kOnlyBatchEmpty = {"only_batch_empty", kInvalid,
                                               "Every dimension of self but N is greater than 0.",
                                               [](const Call& call) { return only_batch_empty(call.self); }};

template <typename Call>
inline constexpr Rule<Call> kOutputSizeLength = {
    "output_size_length", kInvalid, "outputSize has length 3.",
    [](const Call& call) { return length_among(call.output_size, {3}); }};

template <typename Call>
inline constexpr Rule<Call> kOutputSizePositive = {
    "output_size_positive", kInvalid, "Every value of outputSize is greater than 0.",
    [](const Call& call) { return all_positive(call.output_size); }};

// Rules that follow each other in every operator's table: how it begins, and what any view must keep.

template <typename Call>
inline constexpr std::array kOpening = {kArgumentsNotNull<Call>, kHandlesLive<Call>, kProductKnown<Call>,
                                        kOperatorOffered<Call>};

template <typename Call>
inline constexpr std::array kGeometry = {kDimsNotNegative<Call>, kStridesNotNegative<Call>,
                                         kOffsetsNotNegative<Call>, kSizesFit<Call>,
                                         kViewsInsideStorage<Call>};

template <typename Call>
constexpr std::array<Rule<Call>, 1> as_group(const Rule<Call>& rule) {
  return {rule};
}

template <typename Call, std::size_t kCount>
constexpr std::array<Rule<Call>, kCount> as_group(const std::array<Rule<Call>, kCount>& group) {
  return group;
}

// An operator's table: rules and groups of them, in order.
template <typename... Parts>
constexpr auto table(const Parts&... parts) {
  return std::apply([](const auto&... rules) { return std::array{rules...}; },
                    std::tuple_cat(as_group(parts)...));
}

}  // namespace cairn
