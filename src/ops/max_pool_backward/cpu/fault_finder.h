#pragma once

#include <cstdint>

#include "ops/kit/cpu/first_fault.h"
#include "ops/kit/cpu/sliding_sums.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// A fault, if the index names no cell of the plane at all. Windows come in order: the first of a plane is
// enough.
class FaultFinder {
 public:
  FaultFinder(const Plan& plan, const PlaneGroup& group, FirstFault& faults)
      : p_(plan), group_(group), faults_(faults) {}
  void operator()(std::int64_t index, std::int64_t window, std::int64_t channel) {
    const std::int64_t cells = p_.in.count();
    if (found_ || index == -1 || (0 <= index && index < cells)) return;
    found_ = true;
    const std::int64_t c = group_.c + channel;
    const std::int64_t position = p_.channels_last ? (group_.n * p_.out.count() + window) * p_.c + c
                                                   : (group_.n * p_.c + c) * p_.out.count() + window;
    faults_.note(IndexFault{position, index, cells});
  }

 private:
  const Plan& p_;
  const PlaneGroup group_;
  FirstFault& faults_;
  bool found_ = false;
};

}  // namespace cairn::max_pool_backward
