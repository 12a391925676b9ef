#include "ops/max_pool_values/contract.h"

#include <algorithm>

#include "ops/axes.h"
#include "ops/checks/window.h"
#include "ops/kit/trivial_axes.h"
#include "ops/max_pool_values/plan.h"
#include "tensor/text.h"

namespace cairn::max_pool_values {
namespace {

constexpr std::size_t kAxes = 2;

bool channels_last(const Call& call) { return puts_channels_last(call.self.desc->format, kAxes); }

Axes axes_of(const Call& call) { return image_axes(call.self.rank(), kAxes, channels_last(call)); }

// No value means `none`, one both axes, and of four the first two are those before the plane.
std::int64_t on_axis(const ArrayArgument& values, std::size_t axis, std::int64_t none) {
  return values.size() == 0 ? none : values[values.size() == 1 ? 0 : axis];
}

std::int64_t behind_on(const Call& call, std::size_t axis) {
  return call.pads.size() == 4 ? call.pads[2 + axis] : on_axis(call.pads, axis, 0);
}

Window window_on(const Call& call, std::size_t axis) {
  return {.kernel = on_axis(call.kernel_shape, axis, 1),
          .stride = on_axis(call.strides, axis, 1),
          .padding = on_axis(call.pads, axis, 0),
          .dilation = on_axis(call.dilations, axis, 1)};
}

Wide windows_along(const Call& call, std::size_t axis) {
  const Size3 plane = plane_of(*call.self.desc, axes_of(call));
  return pooled_size(axis == 0 ? plane.h : plane.w, window_on(call, axis), behind_on(call, axis),
                     call.ceil_mode);
}

std::vector<std::int64_t> pooled_shape(const Call& call) {
  std::vector<std::int64_t> shape = call.self.dims();
  const auto first = static_cast<std::size_t>(axes_of(call).h);
  for (std::size_t axis = 0; axis < kAxes; ++axis)
    shape[first + axis] = static_cast<std::int64_t>(windows_along(call, axis));
  return shape;
}

std::string call_text(const Call& call) {
  return sentence("self ", call.self.dims(), ", kernelShape ", call.kernel_shape.values(), ", strides ",
                  call.strides.values(), ", pads ", call.pads.values(), ", dilations ",
                  call.dilations.values(), ", ceilMode ", call.ceil_mode ? "true" : "false");
}

Complaint data_type_supported(const Call& call) { return type_among(call, call.self, call.support().types); }

Complaint data_types_equal(const Call& call) { return same_type(call.out, call.self); }

Complaint formats_equal(const Call& call) { return same_format(call.out, call.self); }

Complaint formats_allowed(const Call& call) {
  const aclFormat format = call.self.desc->format;
  const bool usual = format == ACL_FORMAT_ND || format == ACL_FORMAT_NCHW || format == ACL_FORMAT_NCL;
  if (usual || !call.product().strict) return {};
  return sentence("self has format ", format, ", expected ND, NCHW or NCL ", where(call));
}

Complaint ranks_allowed(const Call& call) {
  return each(call.tensors(), [](const TensorArgument& tensor) { return rank_between(tensor, 3, 4); });
}

Complaint ranks_equal(const Call& call) { return same_rank(call.out, call.self); }

Complaint kernel_shape_length(const Call& call) { return length_among(call.kernel_shape, {1, 2}); }
Complaint strides_length(const Call& call) { return length_among(call.strides, {0, 1, 2}); }
Complaint pads_length(const Call& call) { return length_among(call.pads, {0, 1, 2, 4}); }
Complaint dilations_length(const Call& call) { return length_among(call.dilations, {0, 1, 2, 4}); }

Complaint auto_pad_zero(const Call& call) {
  if (call.auto_pad == 0) return {};
  return sentence("autoPad is ", call.auto_pad, ", expected 0");
}

Complaint dilations_allowed(const Call& call) {
  const auto& values = call.dilations.values();
  const bool free = call.support().dilated_windows && values.size() <= kAxes;
  const auto good = [free](std::int64_t value) { return value == 1 || (free && value > 0); };
  if (std::all_of(values.begin(), values.end(), good)) return {};
  return sentence("dilations is ", values, ", expected ", free ? "values greater than 0 " : "only 1 ",
                  where(call));
}

Complaint kernel_shape_positive(const Call& call) { return all_positive(call.kernel_shape); }

Complaint strides_positive(const Call& call) { return all_positive(call.strides); }

Complaint pads_not_negative(const Call& call) {
  const auto& values = call.pads.values();
  if (std::all_of(values.begin(), values.end(), [](std::int64_t value) { return value >= 0; })) return {};
  return sentence("pads is ", values, ", expected no negative value");
}

Complaint pads_within_kernel(const Call& call) {
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    const Window window = window_on(call, axis);
    const std::int64_t behind = behind_on(call, axis);
    if (Wide{window.padding} + behind <= window.kernel) continue;
    return sentence("pads is ", call.pads.values(), ", on axis ", axis_name(kAxes, axis), " ", window.padding,
                    " and ", behind, ", expected no more than kernelShape ", window.kernel, " together");
  }
  return {};
}

Complaint self_has_channels_and_plane(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 plane = plane_of(*call.self.desc, axes);
  if (size_along(axes.c, call.self.dims()) > 0 && plane.h > 0 && plane.w > 0) return {};
  return sentence("self has shape ", call.self.dims(), ", expected C, H and W to be greater than 0");
}

Complaint windows_exist(const Call& call) {
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    if (windows_along(call, axis) > 0) continue;
    return sentence("kernelShape leaves no window on axis ", axis_name(kAxes, axis), " for ",
                    call_text(call));
  }
  return {};
}

Complaint out_shape(const Call& call) {
  if (call.out.dims() == pooled_shape(call)) return {};
  return sentence("out has shape ", call.out.dims(), " but that for ", call_text(call), " is ",
                  pooled_shape(call));
}

// clang-format off
constexpr auto kRules = table(
    kOpening,
    Rule{"data_type_supported", kInvalid, "self has a data type that the product allows.", of_call<data_type_supported>},
    Rule{"data_types_equal", kInvalid, "out has the data type of self.", of_call<data_types_equal>},
    Rule{"formats_equal", kInvalid, "out has the format flag of self.", of_call<formats_equal>},
    kFormatsPublic,
    Rule{"formats_allowed", kInvalid, "Unless the product is portable, the flag is ND, NCHW or NCL.", of_call<formats_allowed>},
    Rule{"ranks_allowed", kInvalid, "Every tensor has 3 or 4 dimensions.", of_call<ranks_allowed>},
    Rule{"ranks_equal", kInvalid, "out has as many dimensions as self.", of_call<ranks_equal>},
    kGeometry,
    Rule{"output_not_overlapping", kInvalid, "No two elements of out share memory.", output_not_overlapping},
    Rule{"kernel_shape_length", kInvalid, "kernelShape has length 1 or 2.", of_call<kernel_shape_length>},
    Rule{"strides_length", kInvalid, "strides has length 0, 1 or 2; 0 means 1.", of_call<strides_length>},
    Rule{"pads_length", kInvalid, "pads has length 0, 1, 2 or 4.", of_call<pads_length>},
    Rule{"dilations_length", kInvalid, "dilations has length 0, 1, 2 or 4.", of_call<dilations_length>},
    Rule{"auto_pad_zero", kInvalid, "autoPad is 0.", of_call<auto_pad_zero>},
    Rule{"dilations_allowed", kInvalid, "Every value of dilations is 1; where the product allows more, one or two values may be greater.", of_call<dilations_allowed>},
    Rule{"kernel_shape_positive", kInvalid, "Every value of kernelShape is greater than 0.", of_call<kernel_shape_positive>},
    Rule{"strides_positive", kInvalid, "Every value of strides is greater than 0.", of_call<strides_positive>},
    Rule{"pads_not_negative", kInvalid, "No value of pads is negative.", of_call<pads_not_negative>},
    Rule{"pads_within_kernel", kInvalid, "The two pads of an axis are no more than its kernelShape together.", of_call<pads_within_kernel>},
    Rule{"self_has_channels_and_plane", kInvalid, "C, H and W of self are greater than 0; N may be 0.", of_call<self_has_channels_and_plane>},
    Rule{"windows_exist", kInvalid, "At least one window fits on every axis.", of_call<windows_exist>},
    Rule{"out_shape", kInvalid, "out has a position for each window.", of_call<out_shape>});
// clang-format on

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 in = plane_of(*call.self.desc, axes);
  const Size3 out = plane_of(*call.out.desc, axes);
  const Window h = planned_window(window_on(call, 0), in.h, out.h);
  const Window w = planned_window(window_on(call, 1), in.w, out.w);
  const Plan plan{.type = static_cast<DataType>(call.self.desc->type),
                  .n = size_along(axes.n, call.self.dims()),
                  .c = size_along(axes.c, call.self.dims()),
                  .in = in,
                  .out = out,
                  .kernel = {1, h.kernel, w.kernel},
                  .stride = {1, h.stride, w.stride},
                  .padding = {0, h.padding, w.padding},
                  .dilation = {1, h.dilation, w.dilation},
                  .self = view_of(*call.self.desc, axes),
                  .values = view_of(*call.out.desc, axes)};
  return trivial_axes_first(plan, ViewsOf<&Plan::self>(), ViewsOf<&Plan::values>());
}

}  // namespace

std::span<const Rule> rules(int /*spatial*/) { return kRules; }

PlannedCall plan(const Call& call) {
  return planned_call<Bound<&Plan::self, 0, &Plan::type>, Bound<&Plan::values, 1, &Plan::type>>(
      call, make_plan(call), is_empty(*call.out.desc));
}

}  // namespace cairn::max_pool_values
