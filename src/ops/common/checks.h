#pragma once

#include <cstddef>
#include <initializer_list>

#include "ops/common/contract.h"

namespace cairn {

// Checks that operators share, each about one argument or a pair.

Complaint not_null(const Argument& argument);
Complaint is_live(const Argument& argument);

Complaint type_among(const CallBase& call, const TensorArgument& tensor, TypeSet allowed);
Complaint same_type(const TensorArgument& tensor, const TensorArgument& model);

Complaint format_public(const TensorArgument& tensor);
Complaint rank_between(const TensorArgument& tensor, std::size_t least, std::size_t most);
Complaint same_rank(const TensorArgument& tensor, const TensorArgument& model);
Complaint same_shape(const TensorArgument& tensor, const TensorArgument& model);

Complaint no_negative_dim(const TensorArgument& tensor);
Complaint no_negative_stride(const TensorArgument& tensor);
Complaint no_negative_offset(const TensorArgument& tensor);
Complaint span_fits(const TensorArgument& tensor);
Complaint inside_storage(const TensorArgument& tensor);
Complaint elements_apart(const TensorArgument& output);

Complaint length_among(const ArrayArgument& array, std::initializer_list<std::size_t> allowed);
Complaint all_positive(const ArrayArgument& array);

// "on Atlas A2", "in the portable profile"
std::string where(const CallBase& call);

// The first complaint about any of them.
template <typename Arguments, typename Check>
Complaint each(const Arguments& arguments, Check complain) {
  for (const auto* argument : arguments) {
    if (Complaint complaint = complain(*argument); !complaint.empty()) return complaint;
  }
  return {};
}

Complaint first_of(Complaint complaint, Complaint other);

// The product of sizes, or the largest value when it does not fit.
std::int64_t saturating_product(std::initializer_list<std::int64_t> sizes);

// Rules that every operator has. A Call offers arguments(), in the API's order, tensors() and output().

template <typename Call>
Complaint arguments_not_null(const Call& call) {
  return each(call.arguments(), not_null);
}
template <typename Call>
Complaint handles_live(const Call& call) {
  return each(call.arguments(), is_live);
}
template <typename Call>
Complaint product_known(const Call& call) {
  return call.choice.error;
}
Complaint offered(const CallBase& call);
template <typename Call>
Complaint operator_offered(const Call& call) {
  return offered(call);
}
template <typename Call>
Complaint formats_public(const Call& call) {
  return each(call.tensors(), format_public);
}
template <typename Call>
Complaint dims_not_negative(const Call& call) {
  return each(call.tensors(), no_negative_dim);
}
template <typename Call>
Complaint strides_not_negative(const Call& call) {
  return each(call.tensors(), no_negative_stride);
}
template <typename Call>
Complaint offsets_not_negative(const Call& call) {
  return each(call.tensors(), no_negative_offset);
}
template <typename Call>
Complaint sizes_fit(const Call& call) {
  return each(call.tensors(), span_fits);
}
template <typename Call>
Complaint views_inside_storage(const Call& call) {
  return each(call.tensors(), inside_storage);
}
template <typename Call>
Complaint output_not_overlapping(const Call& call) {
  return elements_apart(call.output());
}

}  // namespace cairn
