#include "ops/kit/cpu/target.h"

#include "hwy/highway.h"

namespace cairn {

const char* cpu_target() {
  const auto usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);  // better sets have lower bits
}

}  // namespace cairn
