#include "ops/kit/cpu/resample/resample.h"

#include "ops/kit/cpu/types.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kit/cpu/resample/resample.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/resample/resampler-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

void resample_planes(const resample::Planes& planes, Workers& workers) {
  if (planes.read_type == planes.written_type) {
    with_real_type(planes.read_type, [&]<typename T>() { Resampler<T, T>(planes).run(workers); });
  } else {
    with_half_type(planes.written_type, [&]<typename Out>() { Resampler<float, Out>(planes).run(workers); });
  }
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn {

HWY_EXPORT(resample_planes);

void resample::run(Planes planes, Workers& workers) {
  if (planes.n * planes.c == 0) return;
  planes.put_axes_in_order();
  HWY_DYNAMIC_DISPATCH(resample_planes)(planes, workers);
}

}  // namespace cairn
#endif
