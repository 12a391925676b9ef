#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace cairn {

// When queued work begins, where a tool has a say: as late as it may, or after delays drawn from a seed. Only
// orders that the program allows come of it.
class Schedule {
 public:
  using Clock = std::chrono::steady_clock;

  Schedule(bool late, std::optional<std::uint64_t> seed,
           Clock::duration longest_delay = std::chrono::milliseconds(1))
      : late_(late), seed_(seed), longest_delay_(longest_delay) {}

  bool late() const { return late_; }
  // Before the n-th task of a stream begins.
  Clock::duration delay(std::uint64_t stream, std::uint64_t number) const;
  std::uint64_t number_a_stream() { return streams_.fetch_add(1, std::memory_order_relaxed); }

  // A program that makes no calls may wait for what is held back.
  void called() { last_call_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed); }
  Clock::time_point quiet_from() const;

 private:
  const bool late_;
  const std::optional<std::uint64_t> seed_;
  const Clock::duration longest_delay_;
  std::atomic<std::uint64_t> streams_{0};
  std::atomic<Clock::rep> last_call_{0};
};

}  // namespace cairn
