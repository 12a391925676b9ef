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

// Runs of `count` elements, `runs` of them; from(i) and to(i) say where they begin. The last vector of a run
// may copy elements of the one before again.
template <class D, class From, class To>
HWY_INLINE void copy_runs(D d, std::int64_t runs, std::int64_t count, const From& from, const To& to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (count < lanes) return copy_runs(hn::Half<D>(), runs, count, from, to);
  }
  for (std::int64_t i = 0; i < runs; ++i) {
    const auto* HWY_RESTRICT source = from(i);
    auto* HWY_RESTRICT target = to(i);
    for (std::int64_t k = 0; k + lanes < count; k += lanes)
      hn::StoreU(hn::LoadU(d, source + k), d, target + k);
    hn::StoreU(hn::LoadU(d, source + count - lanes), d, target + count - lanes);
  }
}

template <typename T>
struct CopiedChannels : WholeCells {
  static HWY_ATTR void write(const Stretches<T>& s, Task<T>& task, const T* from, T* to) {
    const ScaledPlanes& planes = s.planes;
    const std::int64_t count = task.table.count();
    const hn::ScalableTag<T> d;
    T* HWY_RESTRICT line = task.line;
    const std::int64_t channels = planes.channels;
    const auto in_line = [=](std::int64_t i) HWY_ATTR { return line + i * channels; };
    if (from != task.held) {
      const SourceTable& table = task.table;
      const std::int64_t stride = planes.read.w;
      copy_runs(
          d, count, channels, [&](std::int64_t i) HWY_ATTR { return from + table.source(i) * stride; },
          in_line);
    }
    task.held = from;
    if (s.dense) return task.writer.write(to, task.line, count * channels);
    const std::int64_t stride = planes.written.w;
    copy_runs(d, count, channels, in_line, [=](std::int64_t i) HWY_ATTR { return to + i * stride; });
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
