#include "ops/checks/upsampling.h"

#include <cmath>

#include "tensor/text.h"

namespace cairn::upsampling {
namespace {

constexpr double kScaleSlack = 1e-5;

std::size_t spatial(const Call& call) { return static_cast<std::size_t>(call.spatial()); }

template <typename Holds>
bool each_scale(const Call& call, const Holds& holds) {
  for (std::size_t axis = 0; axis < spatial(call); ++axis) {
    if (!holds(call.scale(axis))) return false;
  }
  return true;
}

bool gives_size(double scale, std::int64_t in, std::int64_t out) {
  const auto input = static_cast<double>(in);
  const auto output = static_cast<double>(out);
  return std::floor(input * (scale - kScaleSlack)) <= output &&
         output <= std::floor(input * (scale + kScaleSlack));
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

bool scales_count(const Call& call) {
  return each_scale(call, [](double scale) {
    const auto narrow = static_cast<float>(scale);
    return narrow > 0 && std::isfinite(narrow);
  });
}

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

Complaint scales_give_sizes(const Call& call, const TensorArgument& small) {
  const auto& out = call.output_size;
  const std::size_t first = channels_last(call, small) ? 1 : 2;
  const bool given = each_scale(call, [](double scale) { return scale > 0; });
  if (!given || !call.support().scales_must_fit) return {};
  bool fit = true;
  std::string scales;
  for (std::size_t axis = 0; axis < spatial(call); ++axis) {
    fit = fit && gives_size(call.scale(axis), small.dims()[first + axis], out[axis]);
    scales +=
        sentence(axis > 0 ? ", " : "", "scales", axis_name(call.spatial(), axis), " ", call.scale(axis));
  }
  if (fit) return {};
  return sentence(scales, " do not give outputSize ", out.values(), " from ", small.name, " ", small.dims(),
                  ", expected outputSize = floor(inputSize * scales) ", where(call));
}

}  // namespace cairn::upsampling
