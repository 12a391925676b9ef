#pragma once

#include <array>
#include <tuple>

#include "ops/checks/checks.h"

// Rules that several operators have.
namespace cairn {

// The text of output_not_overlapping names the outputs, so each operator has its own.
inline Complaint output_not_overlapping(const CallBase& call) { return each(call.outputs(), elements_apart); }

// clang-format off
inline constexpr Rule kFormatsPublic = {"formats_public", kInvalid, "Every tensor's format is a value of aclFormat, and none is a private one.",
    [](const CallBase& call) { return each(call.tensors(), format_public); }};

// Rules that follow each other in every operator's table: how it begins, and what any view must keep.

inline constexpr std::array kOpening = {
    Rule{"arguments_not_null", kNull, "No pointer argument is null, workspaceSize and executor included.",
         [](const CallBase& call) { return each(call.arguments(), not_null); }},
    Rule{"handles_live", kInvalid, "Every tensor and array is a live handle of its type.",
         [](const CallBase& call) { return each(call.arguments(), is_live); }},
    Rule{"product_known", kInvalid, "CAIRN_PRODUCT names a product.",
         [](const CallBase& call) -> Complaint { return call.choice.error; }},
    Rule{"operator_offered", kInvalid, "The product offers the operator.", offered}};

inline constexpr std::array kGeometry = {
    Rule{"dims_not_negative", kInvalid, "No tensor has a negative dimension.",
         [](const CallBase& call) { return each(call.tensors(), no_negative_dim); }},
    Rule{"strides_not_negative", kInvalid, "No tensor has a negative stride.",
         [](const CallBase& call) { return each(call.tensors(), no_negative_stride); }},
    Rule{"offsets_not_negative", kInvalid, "No tensor has a negative offset.",
         [](const CallBase& call) { return each(call.tensors(), no_negative_offset); }},
    Rule{"sizes_fit", kInvalid, "No tensor spans more bytes than 64 bits can count.",
         [](const CallBase& call) { return each(call.tensors(), span_fits); }},
    Rule{"views_inside_storage", kInvalid, "No tensor reaches outside its storage, where a storage shape is given.",
         [](const CallBase& call) { return each(call.tensors(), inside_storage); }}};
// clang-format on

template <typename Row>
constexpr std::array<Row, 1> as_group(const Row& row) {
  return {row};
}

template <typename Row, std::size_t kCount>
constexpr std::array<Row, kCount> as_group(const std::array<Row, kCount>& group) {
  return group;
}

// An operator's table: rules and groups of them, in order. Its arguments are put together in the same way.
template <typename... Parts>
constexpr auto table(const Parts&... parts) {
  return std::apply([](const auto&... rows) { return std::array{rows...}; },
                    std::tuple_cat(as_group(parts)...));
}

}  // namespace cairn
