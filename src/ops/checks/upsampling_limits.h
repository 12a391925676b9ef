#pragma once

#include "ops/checks/upsampling.h"
#include "tensor/text.h"

// How large products let a call be, where they limit sizes or ratios. {0} is the tensor that is read, {1} the
// one that is written.
namespace cairn::upsampling {

// Products' buffers between the passes, and the numbers of rows and cells that they count.
Complaint memory_of_floats(const Call& call);
Complaint memory_of_elements(const Call& call);
Complaint rows_within_limit(const Call& call);
Complaint plane_within_limit(const Call& call);

// The first complaint about a scale or, without one, about the sizes, on a product with such limits:
// fits(scale, in, out) says whether an axis is fine.
template <typename Fits>
Complaint ratios(const Call& call, const TensorArgument& small, const TensorArgument& large,
                 const char* expected, const Fits& fits) {
  const std::size_t first = channels_last(call, small) ? 1 : 2;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(call.spatial()); ++axis) {
    const std::int64_t in = small.dims()[first + axis];
    const std::int64_t out = large.dims()[first + axis];
    if (fits(call.scale(axis), in, out)) continue;
    return sentence(scale_name(call, axis), " is ", call.scale(axis), " and ",
                    axis_name(call.spatial(), axis), " goes from ", in, " to ", out, ", expected ", expected,
                    " ", where(call));
  }
  return {};
}

// clang-format off
inline constexpr Rule kRowsWithinLimit = {"rows_within_limit", kInvalid, "Where the product limits sizes, N·C times the rows of a plane of {0} is less than 2^31.", of_call<rows_within_limit>};
inline constexpr Rule kMemoryWithinLimit = {"memory_within_limit", kInvalid, "Where the product limits sizes, {0}, {1} and what lies between the passes have less than 60 GiB.", of_call<memory_of_elements>};
inline constexpr Rule kPlaneWithinLimit = {"plane_within_limit", kInvalid, "Where the product limits sizes, H·W of {1} is less than 2^31.", of_call<plane_within_limit>};
// clang-format on

}  // namespace cairn::upsampling
