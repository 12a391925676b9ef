#pragma once

#include "ops/kit/cuda/types.cuh"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// body(Tag<T>, Tag<Index>) for the plan's types.
template <typename Body>
auto by_types(const Plan& plan, const Body& body) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T> type) {
    return cuda::by_index_type(plan.index_type,
                               [&]<typename Index>(cuda::Tag<Index> index) { return body(type, index); });
  });
}

}  // namespace cairn::max_pool_backward
