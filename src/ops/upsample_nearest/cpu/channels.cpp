#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/upsample_nearest/cpu/lines.h"
#include "ops/upsample_nearest/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest/cpu/channels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The last vector may copy elements of the one before again.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void copy_run(D d, const T* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (count < lanes) return copy_run(hn::Half<D>(), from, to, count);
  }
  for (std::int64_t i = 0; i + lanes < count; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  hn::StoreU(hn::LoadU(d, from + count - lanes), d, to + count - lanes);
}

template <typename T>
struct CopiedChannels : WholeCells {
  static HWY_ATTR void write(const Stretches<T>& s, Task<T>& task, const T* from, T* to) {
    const ScaledPlanes& planes = s.planes;
    const std::int64_t count = task.table.count();
    if (from != task.held) {
      for (std::int64_t i = 0; i < count; ++i) {
        copy_run(hn::ScalableTag<T>(), from + task.table.source(i) * planes.read.w,
                 task.line + i * planes.channels, planes.channels);
      }
    }
    task.held = from;
    if (s.dense) return task.writer.write(to, task.line, count * planes.channels);
    for (std::int64_t i = 0; i < count; ++i) {
      copy_run(hn::ScalableTag<T>(), task.line + i * planes.channels, to + i * planes.written.w,
               planes.channels);
    }
  }
};

}  // namespace

void copy_channels(const Plan& plan, Workers& workers) { write_lines<CopiedChannels>(plan, workers); }

}  // namespace cairn::upsample_nearest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest::channels {

const char* why_not(const Plan& plan) {
  // A line has room for so many.
  constexpr std::int64_t kMost = Stretches<std::uint64_t>::kLine;
  const std::int64_t channels = ScaledPlanes(plan, plan.self, plan.values).channels;
  if (channels == 1) return "channels do not lie side by side";
  return channels <= kMost ? nullptr : "channels are longer than a line";
}

CAIRN_RUN_KERNEL(copy_channels)

}  // namespace cairn::upsample_nearest::channels
#endif
