#include "ops/checks/upsampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensor/text.h"

namespace cairn::upsampling {
namespace {

constexpr double kScaleSlack = 1e-5;

std::size_t spatial(const Call& call) { return static_cast<std::size_t>(call.spatial()); }

bool each_scale(const Call& call, bool (*holds)(double)) {
  for (std::size_t axis = 0; axis < spatial(call); ++axis) {
    if (!holds(call.scale(axis))) return false;
  }
  return true;
}

bool is_positive(double scale) { return scale > 0; }

const ArgumentInfo& scale_argument(const Call& call, std::size_t axis) {
  const auto is_scale = [](const ArgumentInfo& argument) {
    return argument.kind == Kind::kDouble || argument.kind == Kind::kFloat;
  };
  return *(std::ranges::find_if(call.op.arguments, is_scale) + static_cast<std::ptrdiff_t>(axis));
}

// A float is as far from what a program meant as its neighbours are from it.
double slack_of(const Call& call, std::size_t axis) {
  if (scale_argument(call, axis).kind != Kind::kFloat) return kScaleSlack;
  const auto scale = static_cast<float>(call.scale(axis));
  const float next = std::nextafter(scale, std::numeric_limits<float>::infinity());
  return std::max(kScaleSlack, static_cast<double>(next) - static_cast<double>(scale));
}

bool gives_size(const Call& call, std::size_t axis, std::int64_t in, std::int64_t out) {
  const double slack = slack_of(call, axis);
  const auto input = static_cast<double>(in);
  const auto output = static_cast<double>(out);
  return std::floor(input * (call.scale(axis) - slack)) <= output &&
         output <= std::floor(input * (call.scale(axis) + slack));
}

}  // namespace

bool channels_last(const Call& call, const TensorArgument& tensor) {
  return puts_channels_last(tensor.desc->format, call.spatial());
}

Axes axes_of(const Call& call, bool channels_last) {
  return image_axes(spatial(call) + 2, call.spatial(), channels_last);
}

Axes axes_of(const Call& call, const TensorArgument& tensor) {
  return axes_of(call, channels_last(call, tensor));
}

bool is_usable(double scale) {
  const auto narrow = static_cast<float>(scale);
  return narrow > 0 && std::isfinite(narrow);
}

bool is_looked_at(const Call& call, std::size_t axis, bool (*holds)(double)) {
  return call.op.resizing.scales == Resizing::Scales::kTogether ? each_scale(call, holds)
                                                                : holds(call.scale(axis));
}

bool scale_counts(const Call& call, std::size_t axis, std::int64_t in, std::int64_t out) {
  if (!is_looked_at(call, axis, is_usable)) return false;
  if (call.op.resizing.scales != Resizing::Scales::kIfFitting) return true;
  return std::trunc(static_cast<double>(in) * call.scale(axis)) == static_cast<double>(out);
}

const char* scale_name(const Call& call, std::size_t axis) { return scale_argument(call, axis).name; }

Complaint output_size_length(const Call& call) { return length_among(call.output_size, {spatial(call)}); }
Complaint output_size_positive(const Call& call) { return all_positive(call.output_size); }

Complaint ranks_allowed(const Call& call) {
  const std::size_t rank = spatial(call) + 2;
  return each(call.tensors(),
              [rank](const TensorArgument& tensor) { return rank_between(tensor, rank, rank); });
}

Complaint data_type_supported(const Call& call) {
  return type_among(call, *call.tensors()[0], call.support().types);
}

Complaint data_types_equal(const Call& call) { return same_type(*call.tensors()[1], *call.tensors()[0]); }

Complaint formats_agree(const Call& call) {
  const TensorArgument& model = *call.tensors()[0];
  const TensorArgument& tensor = *call.tensors()[1];
  if (channels_last(call, tensor) == channels_last(call, model)) return {};
  return sentence(tensor.name, " has format ", tensor.desc->format, " and ", model.name, " ",
                  model.desc->format, in_words(", expected both or neither to be {last}", call.op));
}

Complaint formats_allowed(const Call& call) {
  const FormatSet formats = call.support().formats;
  return each(call.tensors(), [&](const TensorArgument& tensor) -> Complaint {
    if (formats.allows(tensor.desc->format)) return {};
    return sentence(tensor.name, " has format ", tensor.desc->format, ", expected one of ", formats.text(),
                    " ", where(call));
  });
}

Complaint formats_equal(const Call& call) {
  if (call.support().formats.any()) return {};
  return same_format(*call.tensors()[1], *call.tensors()[0]);
}

Complaint upsampled_shape(const Call& call, const TensorArgument& large, const TensorArgument& small) {
  const std::size_t first = channels_last(call, small) ? 1 : 2;
  const auto expected_along = [&](std::size_t i) {
    return i >= first && i < first + spatial(call) ? call.output_size[i - first] : small.dims()[i];
  };
  bool same = true;
  for (std::size_t i = 0; i < large.rank(); ++i) same &= large.dims()[i] == expected_along(i);
  if (same) return {};
  std::vector<std::int64_t> expected = small.dims();
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = expected_along(i);
  return sentence(large.name, " has shape ", large.dims(), ", expected ", expected, " by ", small.name, " ",
                  small.dims(), " and outputSize ", call.output_size.values());
}

Complaint scales_give_sizes(const Call& call, const TensorArgument& small, bool (*holds)(double)) {
  if (!call.support().scales_must_fit) return {};
  const auto& out = call.output_size;
  const std::size_t first = channels_last(call, small) ? 1 : 2;
  bool fit = true;
  int looked_at = 0;
  std::string scales;
  for (std::size_t axis = 0; axis < spatial(call); ++axis) {
    if (!is_looked_at(call, axis, holds)) continue;
    fit = fit && gives_size(call, axis, small.dims()[first + axis], out[axis]);
    scales += sentence(looked_at++ > 0 ? ", " : "", scale_name(call, axis), " ", call.scale(axis));
  }
  if (fit) return {};
  return sentence(scales, looked_at > 1 ? " do" : " does", " not give outputSize ", out.values(), " from ",
                  small.name, " ", small.dims(), ", expected outputSize = floor(inputSize * scales) ",
                  where(call));
}

Complaint positive_scales_give_sizes(const Call& call, const TensorArgument& small) {
  return scales_give_sizes(call, small, is_positive);
}

Complaint counting_scales_give_sizes(const Call& call, const TensorArgument& small) {
  return scales_give_sizes(call, small, is_usable);
}

Complaint scales_not_negative(const Call& call) {
  for (std::size_t axis = 0; axis < spatial(call); ++axis) {
    if (call.scale(axis) < 0)
      return sentence(scale_name(call, axis), " is ", call.scale(axis), ", expected 0 or more");
  }
  return {};
}

Complaint axes_at_most(const Call& call, std::int64_t most) {
  if (!call.support().size_limits) return {};
  return each(call.tensors(), [&](const TensorArgument& tensor) -> Complaint {
    const std::int64_t longest = *std::ranges::max_element(tensor.dims());
    if (longest <= most) return {};
    return sentence(tensor.name, " has shape ", tensor.dims(), ", expected no dimension above ", most, " ",
                    where(call));
  });
}

}  // namespace cairn::upsampling
