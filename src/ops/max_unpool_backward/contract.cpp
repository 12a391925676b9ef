#include "ops/max_unpool_backward/contract.h"

#include "ops/max_unpool_backward/plan.h"
#include "tensor/text.h"

namespace cairn::max_unpool_backward {
namespace {

Complaint data_type_supported(const Call& call) {
  return type_among(call, call.grad_output, call.support().types);
}

Complaint data_types_equal(const Call& call) {
  return first_of(same_type(call.self, call.grad_output), same_type(call.out, call.grad_output));
}

Complaint out_contiguous(const Call& call) { return contiguous(call.out); }

Complaint shapes_equal(const Call& call) {
  return first_of(same_shape(call.indices, call.self), same_shape(call.out, call.self));
}

Complaint grad_output_plane(const Call& call) { return unpooled_plane(call, call.grad_output); }

Complaint grad_output_batch(const Call& call) { return unpooled_batch(call, call.grad_output); }

// clang-format off
constexpr Rule kDataTypeSupported = {"data_type_supported", kInvalid, "gradOutput has a data type that the product allows.", of_call<data_type_supported>};
constexpr Rule kShapesEqual = {"shapes_equal", kInvalid, "indices and out have the shape of self.", of_call<shapes_equal>};
constexpr Rule kGradOutputPlane = {"grad_output_plane", kInvalid, "{axes} of gradOutput are outputSize.", of_call<grad_output_plane>};
constexpr std::array kViews = table(
    unpooling::kIndexTypeSupported,
    kFormatsPublic,
    unpooling::kSelfRank,
    unpooling::kRanksEqual,
    kGeometry);

constexpr auto kVolumeRules = table(
    kOpening,
    kDataTypeSupported,
    Rule{"data_types_equal", kInvalid, "self and out have the data type of gradOutput.", of_call<data_types_equal>},
    kViews,
    Rule{"out_contiguous", kInvalid, "out is contiguous.", of_call<out_contiguous>},
    kShapesEqual,
    unpooling::kVolumeSizes,
    kGradOutputPlane,
    Rule{"grad_output_batch", kInvalid, "gradOutput has the N and, with 5 dimensions, the C of self.", of_call<grad_output_batch>});
// clang-format on

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  return {.type = static_cast<DataType>(call.grad_output.desc->type),
          .out_type = static_cast<DataType>(call.out.desc->type),
          .index_type = static_cast<DataType>(call.indices.desc->type),
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .pooled = plane_of(*call.self.desc, axes),
          .unpooled = plane_of(*call.grad_output.desc, axes),
          .grad_output = view_of(*call.grad_output.desc, axes),
          .indices = view_of(*call.indices.desc, axes),
          .out = view_of(*call.out.desc, axes)};
}

}  // namespace

std::span<const Rule> rules(int spatial) {
  if (spatial == 3) return kVolumeRules;
  return {};
}

PlannedCall plan(const Call& call) {
  return planned_call<Bound<&Plan::grad_output, 0, &Plan::type>, Bound<&Plan::indices, 2, &Plan::index_type>,
                      Bound<&Plan::out, 3, &Plan::out_type>>(call, make_plan(call), is_empty(*call.out.desc));
}

}  // namespace cairn::max_unpool_backward
