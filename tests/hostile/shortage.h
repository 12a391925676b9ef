#pragma once

#include <atomic>

// A program in which memory or threads run out at a chosen moment: operator new and pthread_create are its
// own, and the library gets these.
namespace hostile_test {

class Shortage {
 public:
  // Counted from now on: `before` requests succeed, then `failures` fail.
  void begin(long before, long failures) {
    hits_ = 0;
    left_ = before;
    failures_ = failures;
    on_ = true;
  }
  // How many requests have failed.
  long end() {
    on_ = false;
    return hits_;
  }
  bool strikes() {
    if (!on_.load(std::memory_order_relaxed)) return false;
    if (left_.fetch_sub(1) > 0) return false;
    if (failures_.fetch_sub(1) <= 0) return false;
    ++hits_;
    return true;
  }

 private:
  std::atomic<bool> on_{false};
  std::atomic<long> left_{0};
  std::atomic<long> failures_{0};
  std::atomic<long> hits_{0};
};

inline constexpr long kForGood = 1L << 40;

Shortage& memory_shortage();
Shortage& thread_shortage();

}  // namespace hostile_test
