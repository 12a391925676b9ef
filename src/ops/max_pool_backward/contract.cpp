#include "ops/max_pool_backward/contract.h"

#include <algorithm>
#include <string_view>

#include "ops/common/axes.h"
#include "ops/common/checks.h"
#include "ops/common/text.h"
#include "ops/max_pool_backward/plan.h"
#include "ops/common/window.h"

namespace cairn::max_pool_backward {
namespace {

constexpr std::int64_t kInt32Reach = 2147483647;

aclFormat channels_last_format(const Call& call) {
  return call.spatial == 3 ? ACL_FORMAT_NDHWC : ACL_FORMAT_NHWC;
}

bool channels_last(const Call& call) { return call.self.desc->format == channels_last_format(call); }

Axes axes_of(const Call& call) { return image_axes(call.self.rank(), call.spatial, channels_last(call)); }

// The spatial axes of a call lie side by side; this is the first.
std::size_t first_spatial(const Call& call) {
  return static_cast<std::size_t>(axes_of(call).w - call.spatial + 1);
}

std::string_view axis_name(const Call& call, std::size_t axis) {
  return std::string_view("DHW").substr(axis + 3 - static_cast<std::size_t>(call.spatial), 1);
}

// A list of one value means that value on every axis.
std::int64_t on_axis(const ArrayArgument& values, std::size_t axis) {
  return values[values.size() == 1 ? 0 : axis];
}

Window window_on(const Call& call, std::size_t axis) {
  return {.kernel = on_axis(call.kernel_size, axis),
          .stride = on_axis(call.stride.size() == 0 ? call.kernel_size : call.stride, axis),
          .padding = on_axis(call.padding, axis),
          .dilation = on_axis(call.dilation, axis)};
}

// Windows along an axis of self; on an axis without positions fewer than none still counts as none.
Wide windows_along(const Call& call, std::size_t axis) {
  const std::int64_t size = call.self.dims()[first_spatial(call) + axis];
  const Wide count = pooled_size(size, window_on(call, axis), call.ceil_mode);
  return size == 0 ? std::max<Wide>(count, 0) : count;
}

std::vector<std::int64_t> forward_output_shape(const Call& call) {
  std::vector<std::int64_t> shape = call.self.dims();
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(call.spatial); ++axis) {
    shape[first_spatial(call) + axis] = static_cast<std::int64_t>(windows_along(call, axis));
  }
  return shape;
}

std::string window_text(const Call& call, std::int64_t Window::*value) {
  std::vector<std::int64_t> values;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(call.spatial); ++axis) {
    values.push_back(window_on(call, axis).*value);
  }
  return text_of(values);
}

bool dilated(const Call& call) {
  const auto& values = call.dilation.values();
  return std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value != 1; });
}

std::string forward_text(const Call& call) {
  std::string dilation;
  if (dilated(call)) dilation = sentence(", dilation ", window_text(call, &Window::dilation));
  return sentence("self ", call.self.dims(), ", kernelSize ", window_text(call, &Window::kernel), ", stride ",
                  window_text(call, &Window::stride), ", padding ", window_text(call, &Window::padding),
                  dilation, ", ceilMode ", call.ceil_mode ? "true" : "false");
}

template <typename Check>
Complaint each_axis(const Call& call, Check complain) {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(call.spatial); ++axis) {
    if (Complaint complaint = complain(axis); !complaint.empty()) return complaint;
  }
  return {};
}

Complaint data_type_supported(const Call& call) { return type_among(call, call.self, call.support().types); }

Complaint data_types_equal(const Call& call) {
  return first_of(same_type(call.grad_output, call.self), same_type(call.grad_input, call.self));
}

Complaint index_type_supported(const Call& call) {
  return type_among(call, call.indices, call.support().index_types);
}

Complaint same_format(const TensorArgument& tensor, const TensorArgument& model) {
  if (tensor.desc->format == model.desc->format) return {};
  return sentence(tensor.name, " has format ", tensor.desc->format, ", expected ", model.desc->format, " as ",
                  model.name, " has");
}

Complaint formats_equal(const Call& call) {
  return first_of(same_format(call.grad_output, call.self), same_format(call.grad_input, call.self));
}

Complaint channels_last_allowed(const Call& call) {
  if (!channels_last(call) || call.support().channels_last) return {};
  return sentence("self has format ", call.self.desc->format, ", which is not supported ", where(call));
}

Complaint ranks_allowed(const Call& call) {
  const auto least = static_cast<std::size_t>(call.spatial) + 1;
  return each(call.tensors(),
              [=](const TensorArgument& tensor) { return rank_between(tensor, least, least + 1); });
}

Complaint ranks_equal(const Call& call) {
  return each(call.tensors(), [&](const TensorArgument& tensor) { return same_rank(tensor, call.self); });
}

Complaint kernel_size_length(const Call& call) {
  return length_among(call.kernel_size, {1, static_cast<std::size_t>(call.spatial)});
}

Complaint stride_length(const Call& call) {
  return length_among(call.stride, {0, 1, static_cast<std::size_t>(call.spatial)});
}

Complaint padding_length(const Call& call) {
  return length_among(call.padding, {1, static_cast<std::size_t>(call.spatial)});
}

Complaint dilation_length(const Call& call) {
  return length_among(call.dilation, {1, static_cast<std::size_t>(call.spatial)});
}

Complaint kernel_size_positive(const Call& call) { return all_positive(call.kernel_size); }

Complaint stride_positive(const Call& call) { return all_positive(call.stride); }

Complaint padding_within_half(const Call& call) {
  return each_axis(call, [&](std::size_t axis) -> Complaint {
    const std::int64_t padding = on_axis(call.padding, axis);
    const std::int64_t kernel = on_axis(call.kernel_size, axis);
    const std::int64_t most = kernel / 2;
    if (padding >= 0 && padding <= most) return {};
    return sentence("padding is ", call.padding.values(), ", on axis ", axis_name(call, axis), " ", padding,
                    ", expected 0 to ", most, ", half of kernelSize ", kernel);
  });
}

Complaint dilation_positive(const Call& call) { return all_positive(call.dilation); }

Complaint dilation_allowed(const Call& call) {
  if (!dilated(call) || call.support().dilated_windows) return {};
  return sentence("dilation is ", call.dilation.values(), ", expected only 1 ", where(call));
}

Complaint plane_within_index(const Call& call) {
  const Size3 plane = plane_of(*call.self.desc, axes_of(call));
  const std::int64_t positions = saturating_product({plane.d, plane.h, plane.w});
  if (call.indices.desc->type != ACL_INT32 || positions <= kInt32Reach) return {};
  return sentence("self has shape ", call.self.dims(), " with ", positions,
                  " positions in a plane, but indices is INT32, ", "which allows ", kInt32Reach);
}

Complaint self_has_channels_and_plane(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 plane = plane_of(*call.self.desc, axes);
  if (size_along(axes.c, call.self.dims()) > 0 && plane.h > 0 && plane.w > 0) return {};
  return sentence("self has shape ", call.self.dims(), ", expected C, H and W to be greater than 0");
}

Complaint indices_shape(const Call& call) { return same_shape(call.indices, call.grad_output); }

Complaint grad_input_shape(const Call& call) { return same_shape(call.grad_input, call.self); }

Complaint windows_exist(const Call& call) {
  return each_axis(call, [&](std::size_t axis) -> Complaint {
    const std::int64_t size = call.self.dims()[first_spatial(call) + axis];
    if (size == 0 || windows_along(call, axis) > 0) return {};
    return sentence("kernelSize leaves no window on axis ", axis_name(call, axis), " for ",
                    forward_text(call));
  });
}

Complaint grad_output_shape(const Call& call) {
  const std::vector<std::int64_t> expected = forward_output_shape(call);
  if (call.grad_output.dims() == expected) return {};
  return sentence("gradOutput has shape ", call.grad_output.dims(), " but the forward output for ",
                  forward_text(call), " is ", expected);
}

constexpr Status kNull = ACLNN_ERR_PARAM_NULLPTR;
constexpr Status kInvalid = ACLNN_ERR_PARAM_INVALID;

// clang-format off
constexpr Rule<Call> kRules3d[] = {
    {"arguments_not_null", kNull, "No pointer argument is null, workspaceSize and executor included.", arguments_not_null},
    {"handles_live", kInvalid, "Every tensor and array is a live handle of its type.", handles_live},
    {"product_known", kInvalid, "CAIRN_PRODUCT names a product.", product_known},
    {"operator_offered", kInvalid, "The product offers the operator.", operator_offered},
    {"data_type_supported", kInvalid, "self has a data type that the product allows.", data_type_supported},
    {"index_type_supported", kInvalid, "indices has a data type that the product allows.", index_type_supported},
    {"data_types_equal", kInvalid, "gradOutput and gradInput have the data type of self.", data_types_equal},
    {"formats_equal", kInvalid, "gradOutput and gradInput have the format flag of self.", formats_equal},
    {"formats_public", kInvalid, "No tensor has a private format.", formats_public},
    {"channels_last_allowed", kInvalid, "The NDHWC flag is used only where the product allows it.", channels_last_allowed},
    {"ranks_allowed", kInvalid, "Every tensor has 4 or 5 dimensions.", ranks_allowed},
    {"ranks_equal", kInvalid, "All tensors have as many dimensions as self.", ranks_equal},
    {"dims_not_negative", kInvalid, "No tensor has a negative dimension.", dims_not_negative},
    {"strides_not_negative", kInvalid, "No tensor has a negative stride.", strides_not_negative},
    {"offsets_not_negative", kInvalid, "No tensor has a negative offset.", offsets_not_negative},
    {"sizes_fit", kInvalid, "No tensor spans more bytes than 64 bits can count.", sizes_fit},
    {"views_inside_storage", kInvalid, "No tensor reaches outside its storage, where a storage shape is given.", views_inside_storage},
    {"output_not_overlapping", kInvalid, "No two elements of gradInput share memory.", output_not_overlapping},
    {"kernel_size_length", kInvalid, "kernelSize has length 1 or 3.", kernel_size_length},
    {"kernel_size_positive", kInvalid, "Every value of kernelSize is greater than 0.", kernel_size_positive},
    {"stride_length", kInvalid, "stride has length 0, 1 or 3; 0 means stride = kernelSize.", stride_length},
    {"stride_positive", kInvalid, "Every value of stride is greater than 0.", stride_positive},
    {"padding_length", kInvalid, "padding has length 1 or 3.", padding_length},
    {"padding_within_half", kInvalid, "0 ≤ padding ≤ kernelSize / 2, rounded down, on every axis.", padding_within_half},
    {"dilation_length", kInvalid, "dilation has length 1 or 3.", dilation_length},
    {"dilation_positive", kInvalid, "Every value of dilation is greater than 0.", dilation_positive},
    {"dilation_allowed", kInvalid, "dilation is 1 unless the product allows more.", dilation_allowed},
    {"plane_within_index", kInvalid, "D·H·W of self is at most 2147483647 when indices is INT32.", plane_within_index},
    {"indices_shape", kInvalid, "indices has the shape of gradOutput.", indices_shape},
    {"grad_input_shape", kInvalid, "gradInput has the shape of self.", grad_input_shape},
    {"windows_exist", kInvalid, "At least one window fits on every axis on which self has positions.", windows_exist},
    {"grad_output_shape", kInvalid, "gradOutput has the shape of the forward output.", grad_output_shape},
};

constexpr Rule<Call> kRules2d[] = {
    {"arguments_not_null", kNull, "No pointer argument is null, workspaceSize and executor included.", arguments_not_null},
    {"handles_live", kInvalid, "Every tensor and array is a live handle of its type.", handles_live},
    {"product_known", kInvalid, "CAIRN_PRODUCT names a product.", product_known},
    {"operator_offered", kInvalid, "The product offers the operator.", operator_offered},
    {"data_type_supported", kInvalid, "self has a data type that the product allows.", data_type_supported},
    {"data_types_equal", kInvalid, "gradOutput and gradInput have the data type of self.", data_types_equal},
    {"index_type_supported", kInvalid, "indices has a data type that the product allows.", index_type_supported},
    {"formats_equal", kInvalid, "gradOutput and gradInput have the format flag of self.", formats_equal},
    {"formats_public", kInvalid, "No tensor has a private format.", formats_public},
    {"channels_last_allowed", kInvalid, "The NHWC flag is used only where the product allows it.", channels_last_allowed},
    {"ranks_allowed", kInvalid, "Every tensor has 3 or 4 dimensions.", ranks_allowed},
    {"ranks_equal", kInvalid, "All tensors have as many dimensions as self.", ranks_equal},
    {"dims_not_negative", kInvalid, "No tensor has a negative dimension.", dims_not_negative},
    {"strides_not_negative", kInvalid, "No tensor has a negative stride.", strides_not_negative},
    {"offsets_not_negative", kInvalid, "No tensor has a negative offset.", offsets_not_negative},
    {"sizes_fit", kInvalid, "No tensor spans more bytes than 64 bits can count.", sizes_fit},
    {"views_inside_storage", kInvalid, "No tensor reaches outside its storage, where a storage shape is given.", views_inside_storage},
    {"output_not_overlapping", kInvalid, "No two elements of gradInput share memory.", output_not_overlapping},
    {"kernel_size_length", kInvalid, "kernelSize has length 1 or 2.", kernel_size_length},
    {"stride_length", kInvalid, "stride has length 0, 1 or 2; 0 means stride = kernelSize.", stride_length},
    {"padding_length", kInvalid, "padding has length 1 or 2.", padding_length},
    {"dilation_length", kInvalid, "dilation has length 1 or 2.", dilation_length},
    {"kernel_size_positive", kInvalid, "Every value of kernelSize is greater than 0.", kernel_size_positive},
    {"stride_positive", kInvalid, "Every value of stride is greater than 0.", stride_positive},
    {"padding_within_half", kInvalid, "0 ≤ padding ≤ kernelSize / 2, rounded down, on every axis.", padding_within_half},
    {"dilation_positive", kInvalid, "Every value of dilation is greater than 0.", dilation_positive},
    {"dilation_allowed", kInvalid, "dilation is 1 unless the product allows more.", dilation_allowed},
    {"grad_input_shape", kInvalid, "gradInput has the shape of self.", grad_input_shape},
    {"self_has_channels_and_plane", kInvalid, "C, H and W of self are greater than 0; N may be 0.", self_has_channels_and_plane},
    {"plane_within_index", kInvalid, "H·W of self is at most 2147483647 when indices is INT32.", plane_within_index},
    {"windows_exist", kInvalid, "At least one window fits on every axis.", windows_exist},
    {"grad_output_shape", kInvalid, "gradOutput has the shape of the forward output.", grad_output_shape},
    {"indices_shape", kInvalid, "indices has the shape of gradOutput.", indices_shape},
};
// clang-format on

// The windows are only a hint to the kernel, so cutting absurd values changes no result; it keeps the
// kernel's own arithmetic in range.
Size3 hint(const Call& call, std::int64_t Window::*value, std::int64_t on_missing_axis) {
  const auto last = static_cast<std::size_t>(call.spatial) - 1;
  const auto cut = [&](std::size_t axis) { return std::min(window_on(call, axis).*value, kInt32Reach); };
  return {.d = call.spatial == 3 ? cut(0) : on_missing_axis, .h = cut(last - 1), .w = cut(last)};
}

void bind(void* plan_memory, void* const* addresses, void* /*workspace*/) {
  Plan& plan = *static_cast<Plan*>(plan_memory);
  bind_view(plan.grad_output, addresses[0], plan.type);
  bind_view(plan.indices, addresses[2], plan.index_type);
  bind_view(plan.grad_input, addresses[3], plan.type);
}

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  return {.type = static_cast<DataType>(call.self.desc->type),
          .index_type = static_cast<DataType>(call.indices.desc->type),
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .in = plane_of(*call.self.desc, axes),
          .out = plane_of(*call.grad_output.desc, axes),
          .kernel = hint(call, &Window::kernel, 1),
          .stride = hint(call, &Window::stride, 1),
          .padding = hint(call, &Window::padding, 0),
          .dilation = hint(call, &Window::dilation, 1),
          .channels_last = channels_last(call),
          .grad_output = view_of(*call.grad_output.desc, axes),
          .indices = view_of(*call.indices.desc, axes),
          .grad_input = view_of(*call.grad_input.desc, axes)};
}

}  // namespace

std::span<const Rule<Call>> rules(Operator op) {
  if (op == Operator::kMaxPool3dWithArgmaxBackward) return kRules3d;
  return kRules2d;
}

Status plan_call(const Call& call, const Kernel& kernel) {
  if (const Status status = check(call, rules(call.op)); status != ACLNN_SUCCESS) return status;
  PlannedCall planned;
  planned.kernel = &kernel;
  planned.tensors = in_order({{&call.grad_output, Access::kRead},
                              {&call.self, Access::kUnused},
                              {&call.indices, Access::kRead},
                              {&call.grad_input, Access::kWrite}});
  // Padding can make windows over a plane without positions; their indices are still looked at for faults.
  planned.empty = is_empty(*call.grad_input.desc) && is_empty(*call.grad_output.desc);
  planned.set_plan(make_plan(call));
  planned.bind = bind;
  return hand_over(call, std::move(planned));
}

}  // namespace cairn::max_pool_backward
