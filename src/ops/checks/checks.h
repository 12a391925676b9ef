#pragma once

#include <cstddef>
#include <initializer_list>

#include "ops/call.h"

namespace cairn {

// Checks that operators share, each about one argument or a pair.

Complaint not_null(const Argument& argument);
Complaint is_live(const Argument& argument);

Complaint type_among(const CallBase& call, const TensorArgument& tensor, TypeSet allowed);
Complaint same_type(const TensorArgument& tensor, const TensorArgument& model);

Complaint format_public(const TensorArgument& tensor);
Complaint rank_between(const TensorArgument& tensor, std::size_t least, std::size_t most);
Complaint same_format(const TensorArgument& tensor, const TensorArgument& model);
Complaint same_rank(const TensorArgument& tensor, const TensorArgument& model);
Complaint same_shape(const TensorArgument& tensor, const TensorArgument& model);

Complaint no_negative_dim(const TensorArgument& tensor);
Complaint no_negative_stride(const TensorArgument& tensor);
Complaint no_negative_offset(const TensorArgument& tensor);
Complaint span_fits(const TensorArgument& tensor);
Complaint inside_storage(const TensorArgument& tensor);
Complaint elements_apart(const TensorArgument& output);
Complaint contiguous(const TensorArgument& output);
Complaint only_batch_empty(const TensorArgument& tensor);

Complaint length_among(const ArrayArgument& array, std::initializer_list<std::size_t> allowed);
Complaint all_positive(const ArrayArgument& array);

Complaint offered(const CallBase& call);

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

}  // namespace cairn
