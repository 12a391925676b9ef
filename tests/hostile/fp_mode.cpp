#include "hostile/fp_mode.h"

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace hostile_test {
namespace {

#if defined(__x86_64__)
constexpr unsigned kFlushToZero = 0x8000;
constexpr unsigned kDenormalsAreZero = 0x0040;

unsigned long long control_bits() { return _mm_getcsr(); }
void add_bits(unsigned bits) { _mm_setcsr(_mm_getcsr() | bits); }

void add_flushing_modes(std::vector<FpMode>& modes) {
  modes.push_back({"FTZ", [] { add_bits(kFlushToZero); }});
  modes.push_back({"DAZ", [] { add_bits(kDenormalsAreZero); }});
  modes.push_back({"FTZ and DAZ", [] { add_bits(kFlushToZero | kDenormalsAreZero); }});
}
#elif defined(__aarch64__)
constexpr unsigned long long kFlushToZero = 1ULL << 24;

unsigned long long control_bits() {
  unsigned long long bits = 0;
  asm volatile("mrs %0, fpcr" : "=r"(bits));
  return bits;
}

void add_flushing_modes(std::vector<FpMode>& modes) {
  modes.push_back({"FZ", [] { asm volatile("msr fpcr, %0" : : "r"(control_bits() | kFlushToZero)); }});
}
#else
unsigned long long control_bits() { return 0; }
void add_flushing_modes(std::vector<FpMode>&) {}
#endif

void enable_traps() {
  std::feclearexcept(FE_ALL_EXCEPT);
  feenableexcept(FE_ALL_EXCEPT);
}

// Arm processors may lack traps: they are asked for and stay off.
bool has_traps() {
  enable_traps();
  const bool on = fegetexcept() == FE_ALL_EXCEPT;
  enter_default_mode();
  return on;
}

}  // namespace

void enter_default_mode() { std::fesetenv(FE_DFL_ENV); }

std::vector<FpMode> fp_modes() {
  std::vector<FpMode> modes = {{"default", [] {}}};
  add_flushing_modes(modes);
  modes.push_back({"upward", [] { std::fesetround(FE_UPWARD); }});
  modes.push_back({"downward", [] { std::fesetround(FE_DOWNWARD); }});
  modes.push_back({"toward zero", [] { std::fesetround(FE_TOWARDZERO); }});
  if (has_traps()) modes.push_back({"traps", enable_traps});
  return modes;
}

FpState fp_state() {
  return {control_bits(), std::fegetround(), fegetexcept(), std::fetestexcept(FE_ALL_EXCEPT)};
}

}  // namespace hostile_test
