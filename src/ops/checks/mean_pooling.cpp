#include "ops/checks/mean_pooling.h"

#include <algorithm>
#include <limits>

#include "tensor/text.h"

namespace cairn::mean_pooling {
namespace {

std::size_t spatial_axes(const Call& call) { return static_cast<std::size_t>(call.spatial()); }

// N and C, 1 where a tensor has no N.
struct Batch {
  std::int64_t n, c;
  bool operator==(const Batch&) const = default;
};
Batch batch_of(const Call& call, const TensorArgument& tensor) {
  const Axes axes = axes_of(call);
  return {size_along(axes.n, tensor.dims()), size_along(axes.c, tensor.dims())};
}

Size3 plane_of(const Call& call, const TensorArgument& tensor) {
  return cairn::plane_of(*tensor.desc, axes_of(call));
}

// What a call says of each axis, from D on; `absent` is what it says of those that it lacks.
template <typename Value, typename Of>
std::array<Value, 3> from_d_on(const Call& call, const Value& absent, const Of& of) {
  std::array<Value, 3> result = {absent, absent, absent};
  const std::size_t missing = 3 - spatial_axes(call);
  for (std::size_t axis = 0; axis < spatial_axes(call); ++axis) result[missing + axis] = of(axis);
  return result;
}

std::array<std::int64_t, 3> values_of(const Size3& size) { return {size.d, size.h, size.w}; }

// How far the last window along an axis reaches, padding included; all others have all of their kernel.
std::int64_t last_counted(const Window& window, std::int64_t in, std::int64_t out) {
  const Wide room = Wide{in} + 2 * Wide{window.padding} - Wide{out - 1} * window.stride;
  return static_cast<std::int64_t>(std::min<Wide>(window.kernel, room));
}

// The product of three numbers of cells, rounded once. The largest are past any float.
double rounded_product(const std::array<std::int64_t, 3>& counts) {
  __extension__ using WideUnsigned = unsigned __int128;
  WideUnsigned product = 1;
  for (const std::int64_t count : counts) {
    if (__builtin_mul_overflow(product, static_cast<WideUnsigned>(count), &product))
      return std::numeric_limits<double>::infinity();
  }
  return static_cast<double>(static_cast<float>(product));
}

}  // namespace

Complaint arguments_not_null(const CallBase& call) {
  if (Complaint complaint = each(call.arguments(), not_null); !complaint.empty()) return complaint;
  const auto& stride = static_cast<const Call&>(call).stride;
  if (stride.handle != nullptr || !call.offered() || call.support().null_stride) return {};
  return sentence(stride.name, " is null, which is not supported ", where(call));
}

Complaint data_types_equal(const Call& call) {
  return first_of(same_type(call.windows, call.self), same_type(call.written, call.self));
}

Complaint formats_equal(const Call& call) {
  return first_of(same_format(call.windows, call.self), same_format(call.written, call.self));
}

Complaint formats_allowed(const Call& call) {
  if (call.support().formats.any()) return {};
  const aclFormat format = call.self.desc->format;
  const bool lines = format == ACL_FORMAT_NCL && call.self.rank() != 4;
  const bool planes = format == ACL_FORMAT_NCHW && (call.self.rank() != 3 || call.is_backward());
  if (lines || planes) return {};
  return sentence("self has format ", format, " and ", call.self.rank(),
                  " dimensions, expected NCHW with 4 and NCL", call.is_backward() ? " or NCHW" : "",
                  " with 3 ", where(call));
}

Complaint format_named(const Call& call) {
  const FormatSet& formats = call.support().formats;
  if (formats.allows(call.self.desc->format)) return {};
  return sentence("self has format ", call.self.desc->format, ", expected one of ", formats.text(), " ",
                  where(call));
}

Complaint kernel_within_self(const Call& call) {
  const std::array sizes = values_of(plane_of(call, call.self));
  for (std::size_t axis = 0; axis < spatial_axes(call); ++axis) {
    const std::int64_t kernel = window_on(call, axis).kernel;
    const std::int64_t size = sizes[3 - spatial_axes(call) + axis];
    if (kernel <= size) continue;
    return sentence("kernelSize is ", call.kernel_size.values(), ", on axis ",
                    axis_name(call.spatial(), axis), " ", kernel, ", expected no more than the ", size,
                    " of self ", call.self.dims());
  }
  return {};
}

Complaint windows_shape(const Call& call) { return pooled_shape(call, call.windows); }

Complaint written_shape(const Call& call) { return same_shape(call.written, call.self); }

Complaint cube_math_type_allowed(const Call& call) {
  const Support& support = call.support();
  const auto type = static_cast<DataType>(call.self.desc->type);
  const Size3 in = plane_of(call, call.self);
  const Size3 out = plane_of(call, call.windows);
  const bool whole =
      window_on(call, 0).kernel == in.h && window_on(call, 1).kernel == in.w && out.count() == 1;
  const CubeMath& allowed =
      whole && support.whole_cube_math.any() ? support.whole_cube_math : support.cube_math;
  if (allowed.allows(type, call.cube_math_type)) return {};
  return sentence("cubeMathType is ", call.cube_math_type, ", expected one of ", allowed.text(type), " with ",
                  call.self.desc->type, whole ? " and one window " : " ", where(call));
}

Complaint divisor_within_limit(const Call& call) {
  const std::int64_t most = call.support().most_divisor;
  if (most == 0 || (call.divisor_override >= -most && call.divisor_override <= most)) return {};
  return sentence("divisorOverride is ", call.divisor_override, ", expected ", -most, " to ", most, " ",
                  where(call));
}

Complaint output_size_length(const Call& call) {
  return length_among(call.output_size, {spatial_axes(call)});
}

Complaint output_size_allowed(const Call& call) {
  const std::int64_t least = call.support().empty_planes_out ? 0 : 1;
  const auto& values = call.output_size.values();
  if (std::all_of(values.begin(), values.end(), [&](std::int64_t value) { return value >= least; }))
    return {};
  return sentence("outputSize is ", values, ", expected every value to be at least ", least, " ",
                  where(call));
}

Complaint out_has_output_size(const Call& call) {
  const Axes axes = axes_of(call);
  std::vector<std::int64_t> expected = call.self.dims();
  for (std::size_t axis = 0; axis < spatial_axes(call); ++axis)
    expected[static_cast<std::size_t>(axes.w) + 1 - spatial_axes(call) + axis] = call.output_size[axis];
  if (call.out.dims() == expected) return {};
  return sentence("out has shape ", call.out.dims(), " but that for self ", call.self.dims(),
                  " and outputSize ", call.output_size.values(), " is ", expected);
}

Complaint self_has_cells(const Call& call) {
  const Batch batch = batch_of(call, call.self);
  const Size3 plane = plane_of(call, call.self);
  const bool with_n = axes_of(call).n != Axes::kAbsent;
  const bool batch_good = !call.support().batch_required || (with_n ? batch.n : batch.c) > 0;
  if (plane.d > 0 && plane.h > 0 && plane.w > 0 && (!with_n || batch.c > 0) && batch_good) return {};
  return sentence("self has shape ", call.self.dims(), ", expected every dimension ",
                  batch_good ? (with_n ? "but N " : "but C ") : "", "to be greater than 0 ", where(call));
}

Complaint gradient_has_windows(const Call& call) {
  const Size3 out = plane_of(call, call.grad_output);
  if (out.d > 0 && out.h > 0 && out.w > 0) return {};
  return sentence("gradOutput has shape ", call.grad_output.dims(), ", expected ",
                  in_words("{axes}", call.op), " to be greater than 0");
}

Complaint gradient_batch(const Call& call) {
  if (batch_of(call, call.grad_output) == batch_of(call, call.self)) return {};
  return sentence("gradOutput has shape ", call.grad_output.dims(), ", expected the N and C of self ",
                  call.self.dims());
}

Complaint single_windows(const Call& call) {
  if (!call.support().single_windows || plane_of(call, call.grad_output).count() == 1) return {};
  return sentence("gradOutput has shape ", call.grad_output.dims(), ", expected ",
                  in_words("{axes}", call.op), " to be 1 ", where(call));
}

Axes3 window_axes(const Call& call) {
  const std::array in = values_of(plane_of(call, call.self));
  const std::array out = values_of(plane_of(call, call.windows));
  const std::size_t missing = 3 - spatial_axes(call);
  const auto axes = from_d_on(call, MeanAxis{}, [&](std::size_t axis) {
    const std::size_t i = missing + axis;
    const Window window = planned_window(window_on(call, axis), in[i], out[i]);
    return MeanAxis{in[i], out[i], window.kernel, window.stride, window.padding};
  });
  return {axes[0], axes[1], axes[2]};
}

Axes3 adaptive_axes(const Call& call) {
  const Size3 in = plane_of(call, call.self);
  const Size3 out = plane_of(call, call.windows);
  return {{.in = in.d, .out = out.d, .kernel = 0},
          {.in = in.h, .out = out.h, .kernel = 0},
          {.in = in.w, .out = out.w, .kernel = 0}};
}

MeanDivisor divisor_of(const Call& call) {
  if (call.divisor_override != 0)
    return MeanDivisor::one(static_cast<double>(static_cast<float>(call.divisor_override)));
  if (!call.count_include_pad) return {};
  const std::array in = values_of(plane_of(call, call.self));
  const std::array out = values_of(plane_of(call, call.windows));
  const std::size_t missing = 3 - spatial_axes(call);
  const auto counts = from_d_on(call, std::array<std::int64_t, 2>{1, 1}, [&](std::size_t axis) {
    const Window window = window_on(call, axis);
    const std::int64_t windows = out[missing + axis];
    const std::int64_t last = last_counted(window, in[missing + axis], windows);
    return std::array{windows == 1 ? last : window.kernel, last};  // one window is the last
  });
  MeanDivisor divisor{.by_taps = false};
  for (std::size_t place = 0; place < divisor.given.size(); ++place)
    divisor.given[place] =
        rounded_product({counts[0][place >> 2 & 1], counts[1][place >> 1 & 1], counts[2][place & 1]});
  return divisor;
}

}  // namespace cairn::mean_pooling
