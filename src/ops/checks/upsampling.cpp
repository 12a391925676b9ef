#include "ops/checks/upsampling.h"

#include <algorithm>
#include <cmath>

#include "ops/checks/text.h"

namespace cairn::upsampling {
namespace {

constexpr double kScaleSlack = 1e-5;

bool gives_size(double scale, std::int64_t in, std::int64_t out) {
  const auto input = static_cast<double>(in);
  const auto output = static_cast<double>(out);
  return std::floor(input * (scale - kScaleSlack)) <= output &&
         output <= std::floor(input * (scale + kScaleSlack));
}

}  // namespace

bool channels_last(const TensorArgument& tensor) { return tensor.desc->format == ACL_FORMAT_NDHWC; }

const Axes& axes_of(const TensorArgument& tensor) {
  return channels_last(tensor) ? kChannelsLast : kChannelsSecond;
}

bool scales_count(const BaseCall& call) {
  return std::all_of(call.scales.begin(), call.scales.end(), [](double scale) {
    const auto narrow = static_cast<float>(scale);
    return narrow > 0 && std::isfinite(narrow);
  });
}

Complaint formats_agree(const TensorArgument& tensor, const TensorArgument& model) {
  if (channels_last(tensor) == channels_last(model)) return {};
  return sentence(tensor.name, " has format ", tensor.desc->format, " and ", model.name, " ",
                  model.desc->format, ", expected both or neither to be NDHWC");
}

Complaint upsampled_shape(const BaseCall& call, const TensorArgument& large, const TensorArgument& small) {
  const auto first = static_cast<std::size_t>(axes_of(small).d);
  const auto expected_along = [&](std::size_t i) {
    return i >= first && i < first + 3 ? call.output_size[i - first] : small.dims()[i];
  };
  bool same = true;
  for (std::size_t i = 0; i < large.rank(); ++i) same &= large.dims()[i] == expected_along(i);
  if (same) return {};
  std::vector<std::int64_t> expected = small.dims();
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = expected_along(i);
  return sentence(large.name, " has shape ", large.dims(), ", expected ", expected, " by ", small.name, " ",
                  small.dims(), " and outputSize ", call.output_size.values());
}

Complaint scales_give_sizes(const BaseCall& call, const TensorArgument& small) {
  const auto& [d, h, w] = call.scales;
  const Size3 in = plane_of(*small.desc, axes_of(small));
  const auto& out = call.output_size;
  const bool given = d > 0 && h > 0 && w > 0;
  if (!given || !call.support().scales_must_fit) return {};
  if (gives_size(d, in.d, out[0]) && gives_size(h, in.h, out[1]) && gives_size(w, in.w, out[2])) return {};
  return sentence("scalesD ", d, ", scalesH ", h, ", scalesW ", w, " do not give outputSize ", out.values(),
                  " from ", small.name, " ", small.dims(),
                  ", expected outputSize = floor(inputSize * scales) ", where(call));
}

}  // namespace cairn::upsampling
