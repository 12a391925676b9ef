#include "ops/checks/pooling.h"

#include <algorithm>
#include <string_view>

#include "tensor/text.h"

namespace cairn::pooling {
namespace {

constexpr std::int64_t kInt32Reach = 2147483647;

// The spatial axes of a call lie side by side; this is the first.
std::size_t first_spatial(const Call& call) {
  return static_cast<std::size_t>(axes_of(call).w - call.spatial() + 1);
}

// A list of one value means that value on every axis.
std::int64_t on_axis(const ArrayArgument& values, std::size_t axis) {
  return values[values.size() == 1 ? 0 : axis];
}

// Windows along an axis of self, which has that size; on an axis without positions fewer than none still
// counts as none.
Wide windows_along(const Call& call, std::size_t axis, std::int64_t size) {
  const Wide count = pooled_size(size, window_on(call, axis), call.ceil_mode);
  return size == 0 ? std::max<Wide>(count, 0) : count;
}

std::vector<std::int64_t> forward_output_shape(const Call& call) {
  std::vector<std::int64_t> shape = call.self.dims();
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(call.spatial()); ++axis) {
    std::int64_t& size = shape[first_spatial(call) + axis];
    size = static_cast<std::int64_t>(windows_along(call, axis, size));
  }
  return shape;
}

// Whether `dims` is that shape; of as many dimensions as self.
bool has_forward_output_shape(const Call& call, const std::vector<std::int64_t>& dims) {
  const std::size_t first = first_spatial(call);
  const auto spatial = static_cast<std::size_t>(call.spatial());
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const bool in_plane = i >= first && i < first + spatial;
    const std::int64_t size = call.self.dims()[i];
    if (dims[i] != (in_plane ? windows_along(call, i - first, size) : Wide{size})) return false;
  }
  return true;
}

std::string window_text(const Call& call, std::int64_t Window::*value) {
  std::vector<std::int64_t> values;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(call.spatial()); ++axis) {
    values.push_back(window_on(call, axis).*value);
  }
  return text_of(values);
}

bool has_dilation(const Call& call) { return call.dilation.found != nullptr; }

bool dilated(const Call& call) {
  if (!has_dilation(call)) return false;
  const auto& values = call.dilation.values();
  return std::any_of(values.begin(), values.end(), [](std::int64_t value) { return value != 1; });
}

std::string forward_text(const Call& call) {
  std::string dilation;
  if (dilated(call)) dilation = sentence(", dilation ", window_text(call, &Window::dilation));
  return sentence("self ", call.self.dims(), ", kernelSize ", window_text(call, &Window::kernel), ", ",
                  call.stride.name, " ", window_text(call, &Window::stride), ", ", call.padding.name, " ",
                  window_text(call, &Window::padding), dilation, ", ceilMode ",
                  call.ceil_mode ? "true" : "false");
}

// The forward's output, or its gradient.
const TensorArgument& pooled_of(const Call& call) {
  return call.tensors().size() == 3 ? call.out : call.grad_output;
}

template <typename Check>
Complaint each_axis(const Call& call, Check complain) {
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(call.spatial()); ++axis) {
    if (Complaint complaint = complain(axis); !complaint.empty()) return complaint;
  }
  return {};
}

}  // namespace

bool channels_last(const Call& call) { return puts_channels_last(call.self.desc->format, call.spatial()); }

Axes axes_of(const Call& call) { return image_axes(call.self.rank(), call.spatial(), channels_last(call)); }

Window window_on(const Call& call, std::size_t axis) {
  return {.kernel = on_axis(call.kernel_size, axis),
          .stride = on_axis(call.stride.size() == 0 ? call.kernel_size : call.stride, axis),
          .padding = on_axis(call.padding, axis),
          .dilation = has_dilation(call) ? on_axis(call.dilation, axis) : 1};
}

Complaint data_type_supported(const Call& call) { return type_among(call, call.self, call.support().types); }

Complaint index_type_supported(const Call& call) {
  return type_among(call, call.indices, call.support().index_types);
}

bool has_single_taps(const Call& call) {
  const auto& kernel = call.kernel_size.values();
  return std::all_of(kernel.begin(), kernel.end(), [](std::int64_t size) { return size == 1; });
}

Complaint formats_in_order(const Call& call) {
  const aclFormat format = call.self.desc->format;
  const bool usual = format == ACL_FORMAT_ND || format == ACL_FORMAT_NCHW ||
                     (format == ACL_FORMAT_NCL && call.self.rank() == 3);
  if (channels_last(call) || (call.product().strict && !usual))
    return sentence("self has format ", format, ", expected ND, NCHW or, with 3 dimensions, NCL ",
                    where(call));
  return {};
}

Complaint mask_contiguous(const Call& call) { return contiguous(call.indices); }

Complaint plane_within_mask(const Call& call) {
  const Size3 plane = plane_of(*call.self.desc, axes_of(call));
  const std::int64_t positions = saturating_product({plane.h, plane.w});
  if (positions <= kInt32Reach) return {};
  return sentence("self has shape ", call.self.dims(), " with ", positions,
                  " positions in a plane, but a mask allows ", kInt32Reach);
}

Complaint channels_last_allowed(const Call& call) {
  if (!channels_last(call) || call.support().channels_last) return {};
  return sentence("self has format ", call.self.desc->format, ", which is not supported ", where(call));
}

Complaint ranks_allowed(const Call& call) {
  const auto least = static_cast<std::size_t>(call.spatial()) + 1;
  return each(call.tensors(),
              [&](const TensorArgument& tensor) { return rank_between(tensor, least, least + 1); });
}

Complaint ranks_equal(const Call& call) {
  return each(call.tensors(), [&](const TensorArgument& tensor) { return same_rank(tensor, call.self); });
}

Complaint kernel_size_length(const Call& call) {
  return length_among(call.kernel_size, {1, static_cast<std::size_t>(call.spatial())});
}

Complaint stride_length(const Call& call) {
  return length_among(call.stride, {0, 1, static_cast<std::size_t>(call.spatial())});
}

Complaint padding_length(const Call& call) {
  return length_among(call.padding, {1, static_cast<std::size_t>(call.spatial())});
}

Complaint dilation_length(const Call& call) {
  return length_among(call.dilation, {1, static_cast<std::size_t>(call.spatial())});
}

Complaint kernel_size_positive(const Call& call) { return all_positive(call.kernel_size); }

Complaint stride_positive(const Call& call) { return all_positive(call.stride); }

Complaint padding_within_half(const Call& call) {
  return each_axis(call, [&](std::size_t axis) -> Complaint {
    const std::int64_t padding = on_axis(call.padding, axis);
    const std::int64_t kernel = on_axis(call.kernel_size, axis);
    const std::int64_t most = kernel / 2;
    if (padding >= 0 && padding <= most) return {};
    return sentence(call.padding.name, " is ", call.padding.values(), ", on axis ",
                    axis_name(call.spatial(), axis), " ", padding, ", expected 0 to ", most,
                    ", half of kernelSize ", kernel);
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
  return sentence("self has shape ", call.self.dims(), " with ", positions, " positions in a plane, but ",
                  call.indices.name, " is INT32, which allows ", kInt32Reach);
}

Complaint self_has_channels_and_plane(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 plane = plane_of(*call.self.desc, axes);
  if (size_along(axes.c, call.self.dims()) > 0 && plane.d > 0 && plane.h > 0 && plane.w > 0) return {};
  return sentence("self has shape ", call.self.dims(), ", expected ", in_words("C, {axes}", call.op),
                  " to be greater than 0");
}

Complaint self_has_plane(const Call& call) {
  const Size3 plane = plane_of(*call.self.desc, axes_of(call));
  if (plane.d > 0 && plane.h > 0 && plane.w > 0) return {};
  return sentence("self has shape ", call.self.dims(), ", expected ", in_words("{axes}", call.op),
                  " to be greater than 0");
}

Complaint windows_exist(const Call& call) {
  const std::size_t first = first_spatial(call);
  return each_axis(call, [&](std::size_t axis) -> Complaint {
    const std::int64_t size = call.self.dims()[first + axis];
    if (size == 0 || windows_along(call, axis, size) > 0) return {};
    return sentence("kernelSize leaves no window on axis ", axis_name(call.spatial(), axis), " for ",
                    forward_text(call));
  });
}

Complaint pooled_shape(const Call& call, const TensorArgument& pooled) {
  if (has_forward_output_shape(call, pooled.dims())) return {};
  return sentence(pooled.name, " has shape ", pooled.dims(), " but the forward output for ",
                  forward_text(call), " is ", forward_output_shape(call));
}

Complaint mask_shape(const Call& call) {
  constexpr Wide kWords = 16;
  constexpr Wide kBytes = 32;
  const Size3 out = plane_of(*pooled_of(call).desc, axes_of(call));
  const Wide taps = Wide{window_on(call, 0).kernel} * window_on(call, 1).kernel;
  const Wide bytes = ((Wide{out.h} * out.w + kWords - 1) / kWords + 1) * kBytes;
  const auto& dims = call.indices.dims();
  const std::size_t c = dims.size() - 3;
  const bool same = dims[c] == call.self.dims()[c] && (c == 0 || dims[0] == call.self.dims()[0]);
  if (same && dims[c + 1] == taps && dims[c + 2] == bytes) return {};
  std::vector<std::int64_t> expected = call.self.dims();
  expected[c + 1] = static_cast<std::int64_t>(std::min<Wide>(taps, INT64_MAX));
  expected[c + 2] = static_cast<std::int64_t>(std::min<Wide>(bytes, INT64_MAX));
  return sentence("indices has shape ", dims, " but the mask for ", forward_text(call), " is ", expected);
}

}  // namespace cairn::pooling
