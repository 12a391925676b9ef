#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>

#include "common/function_ref.h"

namespace cairn {

// One run of a kernel. Whoever works on it takes the next task until none is left, so that a slow task holds
// up no other. It lives on its caller's stack until the last helper has left.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the counter has a cache line of its own
class Job {
 public:
  Job(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) : tasks_(tasks), body_(body) {}

  void work() noexcept {
    try {
      for (std::int64_t i = next_++; i < tasks_; i = next_++) body_(i);
    } catch (...) {
      next_ = tasks_;
      const std::lock_guard lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  // When nobody works on it any more: throws the first exception of a task.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::int64_t tasks_;
  const FunctionRef<void(std::int64_t)> body_;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
  alignas(64) std::atomic<std::int64_t> next_{0};  // all lanes write here, and only read the rest
};

}  // namespace cairn
