#pragma once

#include <variant>
#include <vector>

#include "conformance/subjects.h"

namespace cuda_test {

// The plan of a case whose storages lie where CUDA would put them: at multiples of 256.
inline conformance::PlanBytes plan_of(const conformance::Case& it) {
  std::vector<reference::View> views(it.arguments.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto* tensor = std::get_if<conformance::TensorArgument>(&it.arguments[i]);
    if (tensor == nullptr || tensor->role == conformance::Role::kShape) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): nobody looks there
    views[i] = view_of(it, i, reinterpret_cast<unsigned char*>((i + 1) << 40));
  }
  conformance::PlanBytes plan;
  it.subject->cases->plan(it, views, plan);
  return plan;
}

}  // namespace cuda_test
