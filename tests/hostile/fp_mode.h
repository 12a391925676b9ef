#pragma once

#include <string>
#include <vector>

// The floating-point modes that a thread of the program may be in: -ffast-math and torch.set_flush_denormal
// flush subnormals, interval arithmetic changes the rounding, debuggers of numerics let exceptions trap.
namespace hostile_test {

struct FpMode {
  std::string name;
  void (*enter)();  // from the default mode
};

// Those this processor has, the default one first.
std::vector<FpMode> fp_modes();

void enter_default_mode();

// The calling thread's mode: control bits, rounding, traps and the flags of exceptions so far.
struct FpState {
  unsigned long long control;
  int rounding;
  int traps;
  int flags;
  bool operator==(const FpState&) const = default;
};
FpState fp_state();

}  // namespace hostile_test
