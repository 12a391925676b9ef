#pragma once

#include "ops/kit/cuda/types.cuh"

// Window shapes known at compile time: a list of types with fits(plan).
namespace cairn::cuda {

// body(Tag<Shape>) for the first shape of the list that the plan has.
template <typename Shapes, typename Plan, typename Body, typename Result>
Result with_shape(const Plan& plan, const Body& body, Result otherwise) {
  return first_type(
      Shapes{}, [&plan]<typename Shape>(Tag<Shape>) { return Shape::fits(plan); }, body, otherwise);
}

template <typename Shapes, typename Plan>
const char* why_not_shape(const Plan& plan) {
  return with_shape<Shapes>(
      plan, [](auto) -> const char* { return nullptr; }, "no tile for this window shape");
}

template <typename Shapes, typename Plan, typename Body>
cudaError_t run_shape(const Plan& plan, const Body& body) {
  return with_shape<Shapes>(plan, body, cudaErrorInvalidValue);
}

}  // namespace cairn::cuda
