#include "ops/checks/adaptive_max.h"

#include <algorithm>

#include "tensor/text.h"

namespace cairn::adaptive_max {
namespace {

std::size_t spatial_of(const Call& call) { return static_cast<std::size_t>(call.spatial()); }

std::size_t first_spatial(const Call& call) {
  return static_cast<std::size_t>(axes_of(call).w - call.spatial() + 1);
}

std::int64_t cells_of(const Call& call) {
  const Size3 plane = plane_of(*call.self.desc, axes_of(call));
  return saturating_product({plane.d, plane.h, plane.w});
}

std::vector<std::int64_t> pooled_shape(const Call& call) {
  std::vector<std::int64_t> shape = call.self.dims();
  for (std::size_t axis = 0; axis < spatial_of(call); ++axis)
    shape[first_spatial(call) + axis] = output_size_on(call, axis);
  return shape;
}

Complaint at_most(const Call& call, std::int64_t limit, std::string_view of) {
  const std::int64_t cells = cells_of(call);
  if (limit == 0 || cells <= limit) return {};
  return sentence("self has shape ", call.self.dims(), " with ", cells, " positions in a plane, expected ",
                  limit, " at most", of, " ", where(call));
}

// Whether windows share no cell and leave none.
bool divides_evenly(const Call& call) {
  for (std::size_t axis = first_spatial(call); axis < first_spatial(call) + spatial_of(call); ++axis) {
    const std::int64_t windows = call.grad_output.dims()[axis];
    if (windows == 0 || call.self.dims()[axis] % windows != 0) return false;
  }
  return true;
}

}  // namespace

std::int64_t output_size_on(const Call& call, std::size_t axis) {
  if (call.output_size.size() == 0) return call.self.dims()[first_spatial(call) + axis];
  return call.output_size[call.output_size.size() == 1 ? 0 : axis];
}

Complaint data_types_equal(const Call& call) { return same_type(call.out, call.self); }

Complaint formats_equal(const Call& call) { return same_format(call.out, call.self); }

Complaint formats_allowed(const Call& call) {
  const FormatSet& formats = call.support().formats;
  const bool batch = call.self.rank() == spatial_of(call) + 2;
  if (formats.any() || (formats.allows(call.self.desc->format) && (batch || !channels_last(call)))) return {};
  return sentence("self with shape ", call.self.dims(), " has format ", call.self.desc->format,
                  ", expected one of ", formats.text(), " ", where(call));
}

Complaint output_size_length(const Call& call) {
  if (call.support().short_output_size) return length_among(call.output_size, {0, 1, spatial_of(call)});
  return length_among(call.output_size, {spatial_of(call)});
}

Complaint output_size_positive(const Call& call) { return all_positive(call.output_size); }

Complaint only_batch_empty(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 plane = plane_of(*call.self.desc, axes);
  const bool with_n = axes.n != Axes::kAbsent;
  if (plane.d > 0 && plane.h > 0 && plane.w > 0 && (!with_n || size_along(axes.c, call.self.dims()) > 0))
    return {};
  return sentence("self has shape ", call.self.dims(), ", expected every dimension but ", with_n ? "N" : "C",
                  " to be greater than 0");
}

Complaint out_shape(const Call& call) {
  const std::vector<std::int64_t> expected = pooled_shape(call);
  if (call.out.dims() == expected) return {};
  return sentence(call.out.name, " has shape ", call.out.dims(), " but self ", call.self.dims(),
                  " and outputSize ", call.output_size.values(), " give ", expected);
}

Complaint indices_shape(const Call& call) { return same_shape(call.indices, call.out); }

Complaint gradient_types_equal(const Call& call) {
  return first_of(same_type(call.grad_output, call.self), same_type(call.grad_input, call.self));
}

Complaint gradient_formats_equal(const Call& call) {
  Complaint complaint =
      first_of(same_format(call.grad_output, call.self), same_format(call.grad_input, call.self));
  if (!call.product().strict) return complaint;
  return first_of(std::move(complaint), same_format(call.indices, call.self));
}

Complaint gradient_indices_shape(const Call& call) { return same_shape(call.indices, call.grad_output); }

Complaint grad_input_shape(const Call& call) { return same_shape(call.grad_input, call.self); }

Complaint grad_output_batch(const Call& call) {
  const Axes axes = axes_of(call);
  const auto same = [&](int axis) {
    return size_along(axis, call.grad_output.dims()) == size_along(axis, call.self.dims());
  };
  if (same(axes.n) && same(axes.c)) return {};
  return sentence("gradOutput has shape ", call.grad_output.dims(), ", expected ",
                  axes.n == Axes::kAbsent ? "C" : "N and C", " to be as in self ", call.self.dims());
}

Complaint plane_within_limit(const Call& call) { return at_most(call, call.support().most_cells, ""); }

Complaint uneven_plane_within_limit(const Call& call) {
  if (divides_evenly(call)) return {};
  return at_most(call, call.support().most_uneven_cells,
                 " unless its sizes are multiples of those of gradOutput");
}

}  // namespace cairn::adaptive_max
