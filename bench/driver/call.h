#pragma once

#include "conformance/case.h"
#include "workload.h"

namespace cairn::bench {

// A row as a call of its operator, and which arguments its tensors are.
struct Call {
  conformance::Case it;
  std::size_t source = 0;
  std::size_t indices = 0;  // where there are none: the result
  std::size_t result = 0;
};
Call call_of(const Case& row);

}  // namespace cairn::bench
