#pragma once

#include <memory>

namespace cairn {

// The threads themselves: oneTBB, kept in one file that the thread sanitizer leaves alone, since it cannot
// see how an uninstrumented libtbb orders what it does.
class Arena {
 public:
  explicit Arena(int threads);
  ~Arena();

  // Calls lane(argument) `lanes` times, side by side as far as there are threads; returns when all have.
  void run(int lanes, void (*lane)(void*), void* argument);

 private:
  struct Threads;
  std::unique_ptr<Threads> threads_;
};

}  // namespace cairn
