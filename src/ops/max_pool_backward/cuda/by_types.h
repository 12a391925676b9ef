#pragma once

#include "ops/kit/cuda/types.cuh"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// body(Tag<T>, Tag<Index>) for the plan's types, T being one of the list.
template <typename List, typename Body>
auto by_types_of(const Plan& plan, const Body& body) {
  return cuda::by_type<List>(plan.type, [&]<typename T>(cuda::Tag<T> type) {
    return cuda::by_index_type(plan.index_type,
                               [&]<typename Index>(cuda::Tag<Index> index) { return body(type, index); });
  });
}
template <typename Body>
auto by_types(const Plan& plan, const Body& body) {
  return by_types_of<cuda::FloatTypes>(plan, body);
}
// The same with DOUBLE.
template <typename Body>
auto by_real_types(const Plan& plan, const Body& body) {
  return by_types_of<cuda::FloatOrDoubleTypes>(plan, body);
}

// What speaks against methods that sum floats and load whole indices.
inline const char* why_not_floats(const Plan& plan) {
  if (plan.index_type == DataType::kInt8) return "windows have one tap each, and no indices";
  if (!is_aligned(plan.indices, size_of(plan.index_type))) return "indices begin at an odd byte";
  return plan.type == DataType::kDouble ? "elements are DOUBLE" : nullptr;
}

}  // namespace cairn::max_pool_backward
