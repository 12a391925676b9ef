#pragma once

#include <cstdint>
#include <utility>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace cairn {

// The floating-point mode in which results are defined: to nearest even, subnormals kept, nothing trapped.
// For as long as it lives; then the thread's mode and its sticky flags are what they were. A thread starts
// with its creator's mode, so threads of ours need it as much as the program's.
class DefaultFpMode {
 public:
  DefaultFpMode() : before_(read()) {
    if (before_.control != kDefault) write(kDefault, before_.flags);
  }
  DefaultFpMode(const DefaultFpMode&) = delete;
  DefaultFpMode& operator=(const DefaultFpMode&) = delete;
  ~DefaultFpMode() { write(before_.control, before_.flags); }

 private:
  struct Mode {
    std::uint64_t control;
    std::uint64_t flags;
  };

#if defined(__x86_64__)
  static constexpr std::uint64_t kDefault = 0x1F80;
  static constexpr std::uint64_t kFlags = 0x3F;
  static Mode read() {
    const std::uint64_t mxcsr = _mm_getcsr();
    return {mxcsr & ~kFlags, mxcsr & kFlags};
  }
  static void write(std::uint64_t control, std::uint64_t flags) {
    _mm_setcsr(static_cast<unsigned>(control | flags));
  }
#elif defined(__aarch64__)
  static constexpr std::uint64_t kDefault = 0;
  static Mode read() {
    Mode mode{};
    asm volatile("mrs %0, fpcr" : "=r"(mode.control));
    asm volatile("mrs %0, fpsr" : "=r"(mode.flags));
    return mode;
  }
  static void write(std::uint64_t control, std::uint64_t flags) {
    asm volatile("msr fpcr, %0" : : "r"(control));
    asm volatile("msr fpsr, %0" : : "r"(flags));
  }
#else
#error "the floating-point mode of this processor is not known here"
#endif

  const Mode before_;
};

// Runs `body` in that mode. Not inlined: a compiler may move arithmetic across a change of mode, but not
// across a call.
template <typename Body>
[[gnu::noinline]] decltype(auto) in_default_fp_mode(Body&& body) {
  const DefaultFpMode mode;
  const auto call = [&]() __attribute__((noinline))->decltype(auto) { return std::forward<Body>(body)(); };
  return call();
}

}  // namespace cairn
