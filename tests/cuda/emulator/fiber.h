#pragma once

#include <cstddef>

#include "emulator/sanitizer.h"

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace cuda_emulator {

// Something that runs on a stack of its own until it says whose turn it is. The fibers of an operating
// system's thread stay on that thread.
class Fiber {
 public:
  // The stack that is running now.
  Fiber() = default;
  // Begins with `entry`, which never returns.
  explicit Fiber(void (*entry)());
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber();

  // Goes on in `to`, and returns when somebody switches back to this one.
  void switch_to(Fiber& to);
  // What `entry` calls first; `from` is the fiber that switched here.
  static void begin(Fiber& from);

 private:
  void* memory_ = nullptr;  // a page that must not be touched, then the stack
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
  [[maybe_unused]] void* asan_frames_ = nullptr;
#if defined(__x86_64__)
  void* top_ = nullptr;  // what is kept of a fiber that waits lies on its stack
#else
  ucontext_t context_{};
#endif
};

}  // namespace cuda_emulator
