#include "ops/checks/resampling.h"

#include <cmath>

#include "tensor/text.h"

namespace cairn::resampling {

bool is_usable(double scale) { return scale > 0 && std::isfinite(scale) && std::isfinite(1.0 / scale); }

PlaneAxes plane_axes(const Call& call, const Size3& in, const Size3& out) {
  const auto absent = 3 - static_cast<std::size_t>(call.spatial());
  const auto axis = [&](std::size_t number, std::int64_t input, std::int64_t output) -> FilterAxis {
    if (number < absent) return {};
    const bool counts = !call.align_corners() && upsampling::is_looked_at(call, number - absent, is_usable);
    return {.in = input,
            .out = output,
            .scale = counts ? call.scale(number - absent) : 0,
            .filter = call.op.resizing.filter,
            .align_corners = call.align_corners()};
  };
  return {axis(0, in.d, out.d), axis(1, in.h, out.h), axis(2, in.w, out.w)};
}

Complaint double_channels_last(const Call& call) {
  const TensorArgument& tensor = *call.tensors()[0];
  if (call.support().formats.any() || tensor.desc->type != ACL_DOUBLE) return {};
  if (upsampling::channels_last(call, tensor)) return {};
  return sentence(tensor.name, " has data type DOUBLE and format ", tensor.desc->format,
                  in_words(", expected {last} ", call.op), where(call));
}

Complaint not_empty(const Call& call) {
  if (!call.product().strict) return {};
  return each(call.tensors(), [&](const TensorArgument& tensor) -> Complaint {
    for (const std::int64_t dim : tensor.dims()) {
      if (dim == 0)
        return sentence(tensor.name, " has shape ", tensor.dims(), ", expected no dimension to be 0 ",
                        where(call));
    }
    return {};
  });
}

Complaint scales_give_sizes(const Call& call, const TensorArgument& small) {
  if (call.align_corners()) return {};
  return upsampling::scales_give_sizes(call, small, is_usable);
}

}  // namespace cairn::resampling
