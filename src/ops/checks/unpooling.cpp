#include "ops/checks/unpooling.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tensor/text.h"

namespace cairn::unpooling {
namespace {

std::size_t spatial(const Call& call) { return static_cast<std::size_t>(call.spatial()); }

std::string_view batch_text(const Call& call) {
  const Axes axes = axes_of(call);
  if (axes.n == Axes::kAbsent) return "C";
  return axes.c == Axes::kAbsent ? "N" : "N and C";
}

}  // namespace

// Of a volume without one of N and C the axis left out is C: four dimensions are N, D, H, W. To an image,
// which lacks N, it makes no difference.
Axes axes_of(const Call& call) {
  Axes axes = image_axes(call.self.rank(), call.spatial(), false);
  if (axes.n == Axes::kAbsent && call.spatial() == 3) std::swap(axes.n, axes.c);
  return axes;
}

Complaint index_type_supported(const Call& call) {
  return type_among(call, call.indices, call.support().index_types);
}

Complaint self_rank(const Call& call) {
  const std::size_t least = spatial(call) + 1;
  return rank_between(call.self, least, least + 1);
}

Complaint ranks_equal(const Call& call) {
  return each(call.tensors(), [&](const TensorArgument& tensor) { return same_rank(tensor, call.self); });
}

Complaint self_has_elements(const Call& call) { return only_batch_empty(call.self); }

Complaint output_size_length(const Call& call) { return length_among(call.output_size, {spatial(call)}); }
Complaint output_size_positive(const Call& call) { return all_positive(call.output_size); }

Complaint stride_length(const Call& call) { return length_among(call.stride, {spatial(call)}); }
Complaint padding_length(const Call& call) { return length_among(call.padding, {spatial(call)}); }
Complaint stride_positive(const Call& call) { return all_positive(call.stride); }

Complaint output_size_holds_self(const Call& call) {
  std::int64_t unpooled = 1;
  for (const std::int64_t size : call.output_size.values()) unpooled = saturating_product({unpooled, size});
  const std::int64_t pooled = plane_of(*call.self.desc, axes_of(call)).count();
  if (unpooled >= pooled) return {};
  return sentence("outputSize is ", call.output_size.values(), " with ", unpooled,
                  " positions, expected at least the ", pooled, in_words(" of {axes} of self ", call.op),
                  call.self.dims());
}

Complaint unpooled_plane(const Call& call, const TensorArgument& unpooled) {
  const auto& dims = unpooled.dims();
  if (std::equal(dims.end() - call.spatial(), dims.end(), call.output_size.values().begin())) return {};
  return sentence(unpooled.name, " has shape ", dims,
                  in_words(", expected {axes} to be outputSize ", call.op), call.output_size.values());
}

Complaint unpooled_batch(const Call& call, const TensorArgument& unpooled) {
  const auto& dims = unpooled.dims();
  if (std::equal(dims.begin(), dims.end() - call.spatial(), call.self.dims().begin())) return {};
  return sentence(unpooled.name, " has shape ", dims, ", expected ", batch_text(call), " to be as in self ",
                  call.self.dims());
}

}  // namespace cairn::unpooling
