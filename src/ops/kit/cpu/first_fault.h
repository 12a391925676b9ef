#pragma once

#include <mutex>
#include <optional>

#include "backend/kernel.h"

namespace cairn {

// The fault at the smallest position, whichever task meets it.
class FirstFault {
 public:
  void note(const std::optional<IndexFault>& fault) {
    if (!fault) return;
    const std::scoped_lock lock(mutex_);
    if (!first_ || fault->position < first_->position) first_ = fault;
  }
  std::optional<IndexFault> get() const { return first_; }

 private:
  std::mutex mutex_;
  std::optional<IndexFault> first_;
};

}  // namespace cairn
