#include "ops/max_unpool_backward/contract.h"

#include <algorithm>
#include <utility>

#include "ops/common/axes.h"
#include "ops/common/checks.h"
#include "ops/common/text.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {
namespace {

// Four dimensions are N, D, H, W: the axis left out is C, not N.
Axes axes_of(const Call& call) {
  if (call.self.rank() == 5) return image_axes(5, 3, false);
  return {.n = 0, .c = Axes::kAbsent, .d = 1, .h = 2, .w = 3};
}

// The element whose position differs from that of a dense tensor is on an axis with more than one.
bool is_contiguous(const TensorDesc& tensor) {
  std::int64_t dense = 1;
  for (std::size_t i = tensor.dims.size(); i-- > 0;) {
    if (tensor.dims[i] != 1 && tensor.strides[i] != dense) return false;
    dense *= tensor.dims[i];
  }
  return true;
}

Complaint out_contiguous(const Call& call) {
  const TensorDesc& out = *call.out.desc;
  if (is_empty(out) || is_contiguous(out)) return {};
  return sentence("out with shape ", out.dims, " has strides ", out.strides,
                  ", expected it to be contiguous");
}

Complaint data_type_supported(const Call& call) {
  return type_among(call, call.grad_output, call.support().types);
}

Complaint data_types_equal(const Call& call) {
  return first_of(same_type(call.self, call.grad_output), same_type(call.out, call.grad_output));
}

Complaint index_type_supported(const Call& call) {
  return type_among(call, call.indices, call.support().index_types);
}

Complaint self_rank(const Call& call) { return rank_between(call.self, 4, 5); }

Complaint ranks_equal(const Call& call) {
  return each(call.tensors(), [&](const TensorArgument& tensor) { return same_rank(tensor, call.self); });
}

Complaint shapes_equal(const Call& call) {
  return first_of(same_shape(call.indices, call.self), same_shape(call.out, call.self));
}

Complaint only_batch_empty(const Call& call) {
  const auto& dims = call.self.dims();
  if (std::find(dims.begin() + 1, dims.end(), 0) == dims.end()) return {};
  return sentence("self has shape ", dims, ", expected every dimension but N to be greater than 0");
}

Complaint output_size_length(const Call& call) { return length_among(call.output_size, {3}); }
Complaint stride_length(const Call& call) { return length_among(call.stride, {3}); }
Complaint padding_length(const Call& call) { return length_among(call.padding, {3}); }
Complaint stride_positive(const Call& call) { return all_positive(call.stride); }
Complaint output_size_positive(const Call& call) { return all_positive(call.output_size); }

Complaint output_size_holds_self(const Call& call) {
  const std::int64_t unpooled =
      saturating_product({call.output_size[0], call.output_size[1], call.output_size[2]});
  const std::int64_t pooled = plane_of(*call.self.desc, axes_of(call)).count();
  if (unpooled >= pooled) return {};
  return sentence("outputSize is ", call.output_size.values(), " with ", unpooled,
                  " positions, expected at least the ", pooled, " of D, H and W of self ", call.self.dims());
}

Complaint grad_output_plane(const Call& call) {
  const auto& dims = call.grad_output.dims();
  if (std::equal(dims.end() - 3, dims.end(), call.output_size.values().begin())) return {};
  return sentence("gradOutput has shape ", dims, ", expected D, H and W to be outputSize ",
                  call.output_size.values());
}

Complaint grad_output_batch(const Call& call) {
  const auto& dims = call.grad_output.dims();
  if (std::equal(dims.begin(), dims.end() - 3, call.self.dims().begin())) return {};
  return sentence("gradOutput has shape ", dims, ", expected ", dims.size() == 5 ? "N and C" : "N",
                  " to be as in self ", call.self.dims());
}

constexpr Status kNull = ACLNN_ERR_PARAM_NULLPTR;
constexpr Status kInvalid = ACLNN_ERR_PARAM_INVALID;

// clang-format off
constexpr Rule<Call> kRules[] = {
    {"arguments_not_null", kNull, "No pointer argument is null, workspaceSize and executor included.", arguments_not_null},
    {"handles_live", kInvalid, "Every tensor and array is a live handle of its type.", handles_live},
    {"product_known", kInvalid, "CAIRN_PRODUCT names a product.", product_known},
    {"operator_offered", kInvalid, "The product offers the operator.", operator_offered},
    {"data_type_supported", kInvalid, "gradOutput has a data type that the product allows.", data_type_supported},
    {"data_types_equal", kInvalid, "self and out have the data type of gradOutput.", data_types_equal},
    {"index_type_supported", kInvalid, "indices has a data type that the product allows.", index_type_supported},
    {"formats_public", kInvalid, "No tensor has a private format.", formats_public},
    {"self_rank", kInvalid, "self has 4 or 5 dimensions.", self_rank},
    {"ranks_equal", kInvalid, "All tensors have as many dimensions as self.", ranks_equal},
    {"dims_not_negative", kInvalid, "No tensor has a negative dimension.", dims_not_negative},
    {"strides_not_negative", kInvalid, "No tensor has a negative stride.", strides_not_negative},
    {"offsets_not_negative", kInvalid, "No tensor has a negative offset.", offsets_not_negative},
    {"sizes_fit", kInvalid, "No tensor spans more bytes than 64 bits can count.", sizes_fit},
    {"views_inside_storage", kInvalid, "No tensor reaches outside its storage, where a storage shape is given.", views_inside_storage},
    {"out_contiguous", kInvalid, "out is contiguous.", out_contiguous},
    {"shapes_equal", kInvalid, "indices and out have the shape of self.", shapes_equal},
    {"only_batch_empty", kInvalid, "Every dimension of self but N is greater than 0.", only_batch_empty},
    {"output_size_length", kInvalid, "outputSize has length 3.", output_size_length},
    {"stride_length", kInvalid, "stride has length 3.", stride_length},
    {"padding_length", kInvalid, "padding has length 3; its values are not looked at.", padding_length},
    {"stride_positive", kInvalid, "Every value of stride is greater than 0.", stride_positive},
    {"output_size_positive", kInvalid, "Every value of outputSize is greater than 0.", output_size_positive},
    {"output_size_holds_self", kInvalid, "The product of outputSize is at least D·H·W of self.", output_size_holds_self},
    {"grad_output_plane", kInvalid, "D, H and W of gradOutput are outputSize.", grad_output_plane},
    {"grad_output_batch", kInvalid, "gradOutput has the N and, with 5 dimensions, the C of self.", grad_output_batch},
};
// clang-format on

void bind(void* plan_memory, void* const* addresses, void* /*workspace*/) {
  Plan& plan = *static_cast<Plan*>(plan_memory);
  bind_view(plan.grad_output, addresses[0], plan.type);
  bind_view(plan.indices, addresses[2], plan.index_type);
  bind_view(plan.out, addresses[3], plan.type);
}

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  return {.type = static_cast<DataType>(call.grad_output.desc->type),
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

std::span<const Rule<Call>> rules() { return kRules; }

Status plan_call(const Call& call, const Kernel& kernel) {
  if (const Status status = check(call, rules()); status != ACLNN_SUCCESS) return status;
  PlannedCall planned;
  planned.kernel = &kernel;
  planned.tensors = in_order({{&call.grad_output, Access::kRead},
                              {&call.self, Access::kUnused},
                              {&call.indices, Access::kRead},
                              {&call.out, Access::kWrite}});
  planned.empty = is_empty(*call.out.desc);
  planned.set_plan(make_plan(call));
  planned.bind = bind;
  return hand_over(call, std::move(planned));
}

}  // namespace cairn::max_unpool_backward
