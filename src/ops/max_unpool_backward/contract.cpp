#include "ops/max_unpool_backward/contract.h"

#include "ops/max_unpool_backward/plan.h"
#include "tensor/text.h"

namespace cairn::max_unpool_backward {
namespace {

using unpooling::Call;

Complaint data_type_supported(const Call& call) {
  return type_among(call, call.grad_output, call.support().types);
}

Complaint data_types_equal(const Call& call) {
  return first_of(same_type(call.self, call.grad_output), same_type(call.out, call.grad_output));
}

Complaint self_type(const Call& call) { return same_type(call.self, call.grad_output); }

Complaint out_type(const Call& call) {
  if (Complaint complaint = type_among(call, call.out, call.support().types); !complaint.empty())
    return complaint;
  const auto from = static_cast<DataType>(call.grad_output.desc->type);
  if (converts(from, static_cast<DataType>(call.out.desc->type))) return {};
  return sentence("out has data type ", call.out.desc->type, ", to which gradOutput's ",
                  call.grad_output.desc->type, " is not converted");
}

Complaint grad_output_not_empty(const Call& call) {
  if (!is_empty(*call.grad_output.desc) || is_empty(*call.self.desc)) return {};
  return sentence("gradOutput has shape ", call.grad_output.dims(), ", but self ", call.self.dims(),
                  " has elements");
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

constexpr auto kPlaneRules = table(
    kOpening,
    kDataTypeSupported,
    Rule{"self_type", kInvalid, "self has the data type of gradOutput.", of_call<self_type>},
    Rule{"out_type", kInvalid, "out has a data type that the product allows and gradOutput's is converted to.", of_call<out_type>},
    kViews,
    Rule{"output_not_overlapping", kInvalid, "No two elements of out share memory.", output_not_overlapping},
    unpooling::kOutputSizeLength,
    Rule{"grad_output_batch", kInvalid, "gradOutput has the C and, with 4 dimensions, the N of self.", of_call<grad_output_batch>},
    kShapesEqual,
    kGradOutputPlane,
    Rule{"grad_output_not_empty", kInvalid, "gradOutput has elements where self has some.", of_call<grad_output_not_empty>});
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
  return kPlaneRules;
}

PlannedCall plan(const Call& call) {
  return planned_call<Bound<&Plan::grad_output, 0, &Plan::type>, Bound<&Plan::indices, 2, &Plan::index_type>,
                      Bound<&Plan::out, 3, &Plan::out_type>>(call, make_plan(call), is_empty(*call.out.desc));
}

}  // namespace cairn::max_unpool_backward
