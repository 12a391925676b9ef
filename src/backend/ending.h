#pragma once

#include <atomic>

namespace cairn {

// Set once exit() has begun. From then on no thread of ours is started or relied upon: destructors of the
// program free memory that such a thread might still write, so work runs on the thread that asks for it.
inline constinit std::atomic<bool> g_process_is_ending{false};

inline bool process_is_ending() { return g_process_is_ending.load(std::memory_order_seq_cst); }

// A driver takes itself down while the process ends, and crashes under calls of other threads. Where there is
// one, calls are counted, so that the end waits for those under way, and refused from then on.
inline constinit std::atomic<bool> g_calls_are_counted{false};
inline constinit std::atomic<int> g_calls_under_way{0};

class CountedCall {
 public:
  CountedCall() : counted_(g_calls_are_counted.load(std::memory_order_relaxed)) {
    if (counted_) g_calls_under_way.fetch_add(1, std::memory_order_seq_cst);
  }
  CountedCall(const CountedCall&) = delete;
  CountedCall& operator=(const CountedCall&) = delete;
  ~CountedCall() {
    if (counted_) g_calls_under_way.fetch_sub(1, std::memory_order_seq_cst);
  }

  bool is_counted() const { return counted_; }
  bool comes_too_late() const { return counted_ && process_is_ending(); }

 private:
  const bool counted_;
};

}  // namespace cairn
