#include "ops/kit/cpu/resample/cubic_doubling.h"

#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kit/cpu/resample/cubic_doubling.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/resample/cubic_folder-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

void fold_cubic_planes(const resample::Planes& planes, Workers& workers) {
  with_real_type(planes.read_type, [&]<typename T>() { CubicFolder<T>(planes).run(workers); });
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn {

HWY_EXPORT(fold_cubic_planes);

const char* resample::why_not_cubic_doubling(Planes planes) {
  planes.put_axes_in_order();
  if (!is_doubled(planes.axes[2], Filter::kCubic) || !is_doubled(planes.axes[1], Filter::kCubic))
    return "H or W is not doubled with cubic weights";
  if (!planes.axes[0].keeps_values()) return "D is resampled";
  if (planes.read_type != planes.written_type) return "what is written has another type";
  if (planes.channels > 1 || planes.read.w != 1 || planes.written.w != 1)
    return "neighbours along W do not lie side by side";
  const std::int64_t lanes = float_lanes();
  if (lanes == 1) return "there are no vectors";
  // Outer cells have weights of their own.
  if (planes.axes[2].in < lanes + 4 || planes.axes[1].in < 4) return "planes are too small";
  return nullptr;
}

void resample::run_cubic_doubling(Planes planes, Workers& workers) {
  if (planes.n * planes.c == 0) return;
  planes.put_axes_in_order();
  HWY_DYNAMIC_DISPATCH(fold_cubic_planes)(planes, workers);
}

}  // namespace cairn
#endif
