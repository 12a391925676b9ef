#include "ops/checks/unpooling.h"

#include <algorithm>

#include "ops/checks/text.h"

namespace cairn::unpooling {

// Four dimensions are N, D, H, W: the axis left out is C, not N.
Axes axes_of(const BaseCall& call) {
  if (call.self.rank() == 5) return image_axes(5, 3, false);
  return {.n = 0, .c = Axes::kAbsent, .d = 1, .h = 2, .w = 3};
}

Complaint index_type_supported(const BaseCall& call) {
  return type_among(call, call.indices, call.support().index_types);
}

Complaint self_rank(const BaseCall& call) { return rank_between(call.self, 4, 5); }

Complaint stride_length(const BaseCall& call) { return length_among(call.stride, {3}); }
Complaint padding_length(const BaseCall& call) { return length_among(call.padding, {3}); }
Complaint stride_positive(const BaseCall& call) { return all_positive(call.stride); }

Complaint output_size_holds_self(const BaseCall& call) {
  const std::int64_t unpooled =
      saturating_product({call.output_size[0], call.output_size[1], call.output_size[2]});
  const std::int64_t pooled = plane_of(*call.self.desc, axes_of(call)).count();
  if (unpooled >= pooled) return {};
  return sentence("outputSize is ", call.output_size.values(), " with ", unpooled,
                  " positions, expected at least the ", pooled, " of D, H and W of self ", call.self.dims());
}

Complaint unpooled_plane(const BaseCall& call, const TensorArgument& unpooled) {
  const auto& dims = unpooled.dims();
  if (std::equal(dims.end() - 3, dims.end(), call.output_size.values().begin())) return {};
  return sentence(unpooled.name, " has shape ", dims, ", expected D, H and W to be outputSize ",
                  call.output_size.values());
}

Complaint unpooled_batch(const BaseCall& call, const TensorArgument& unpooled) {
  const auto& dims = unpooled.dims();
  if (std::equal(dims.begin(), dims.end() - 3, call.self.dims().begin())) return {};
  return sentence(unpooled.name, " has shape ", dims, ", expected ", dims.size() == 5 ? "N and C" : "N",
                  " to be as in self ", call.self.dims());
}

}  // namespace cairn::unpooling
