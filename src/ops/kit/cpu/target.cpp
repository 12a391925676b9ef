#include "ops/kit/cpu/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kit/cpu/target.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

std::int64_t lanes_of_target() {
  return static_cast<std::int64_t>(hwy::HWY_NAMESPACE::Lanes(hwy::HWY_NAMESPACE::ScalableTag<float>()));
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn {

HWY_EXPORT(lanes_of_target);

const char* cpu_target() {
  const auto usable = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(usable & -usable);  // better sets have lower bits
}

std::int64_t float_lanes() { return HWY_DYNAMIC_DISPATCH(lanes_of_target)(); }

}  // namespace cairn
#endif
