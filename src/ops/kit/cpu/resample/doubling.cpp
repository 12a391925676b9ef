#include "ops/kit/cpu/resample/doubling.h"

#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kit/cpu/resample/doubling.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/resample/doubler-inl.h"
#include "ops/kit/cpu/resample/folder-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

void double_planes(const resample::Planes& planes, Workers& workers) {
  if (!planes.backward) {
    with_real_type(planes.read_type, [&]<typename T>() { Doubler<T>(planes).run(workers); });
  } else if (planes.read_type == planes.written_type) {
    with_real_type(planes.read_type, [&]<typename T>() { Folder<T, T>(planes).run(workers); });
  } else {
    with_half_type(planes.written_type, [&]<typename Out>() { Folder<float, Out>(planes).run(workers); });
  }
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn {

HWY_EXPORT(double_planes);

const char* resample::why_not_doubling(Planes planes) {
  planes.put_axes_in_order();
  if (!is_doubled(planes.axes[2]) || !is_doubled(planes.axes[1])) return "H or W is not doubled";
  if (!is_doubled(planes.axes[0]) && !planes.axes[0].keeps_values()) return "D is neither doubled nor kept";
  if (planes.read.w != planes.channels || planes.written.w != planes.channels)
    return "neighbours along W do not lie side by side";
  const std::int64_t lanes = float_lanes();
  if (lanes == 1) return "there are no vectors";
  if (planes.channels == 1 && planes.axes[2].in < lanes) return "lines are shorter than a vector";
  if (planes.channels > 1 && planes.channels < lanes) return "channels are fewer than lanes";
  return nullptr;
}

void resample::run_doubling(Planes planes, Workers& workers) {
  if (planes.n * planes.c * planes.channels == 0) return;
  planes.put_axes_in_order();
  HWY_DYNAMIC_DISPATCH(double_planes)(planes, workers);
}

}  // namespace cairn
#endif
