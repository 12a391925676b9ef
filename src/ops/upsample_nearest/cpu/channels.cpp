#include <algorithm>
#include <cstdint>

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

// The same past the cache, from and to whole cache lines.
template <class D, class From, class To>
HWY_INLINE void stream_runs(D d, std::int64_t runs, std::int64_t count, const From& from, const To& to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < runs; ++i) {
    const auto* HWY_RESTRICT source = from(i);
    auto* HWY_RESTRICT target = to(i);
    for (std::int64_t k = 0; k < count; k += lanes) hn::Stream(hn::LoadU(d, source + k), d, target + k);
  }
}

template <typename T>
class CopiedChannels : public WholeCells {
 public:
  // Cells of a cache line and more go straight from self to values: reading and writing then take turns all
  // the time. Smaller ones are put together first, and that once for lines that are alike.
  static HWY_ATTR void write(const Stretches<T>& s, Task<T>& task, const T* from, T* to) {
    constexpr std::int64_t kCacheLine = 64;
    const std::int64_t bytes = s.planes.channels * std::int64_t{sizeof(T)};
    if (s.is_line() && s.dense) return write_line(s, task, from, to);
    const SourceTable& table = task.table;
    const std::int64_t read = s.planes.read.w;
    const std::int64_t written = s.planes.written.w;
    const auto source = [&](std::int64_t i) HWY_ATTR { return from + table.source(i) * read; };
    const auto target = [=](std::int64_t i) HWY_ATTR { return to + i * written; };
    const hn::ScalableTag<T> d;
    if (!task.streaming || !s.dense) return copy_runs(d, table.count(), s.planes.channels, source, target);
    if (bytes % kCacheLine == 0 && reinterpret_cast<std::uintptr_t>(to) % kCacheLine == 0)
      return stream_runs(d, table.count(), s.planes.channels, source, target);
    write_pieces(s, task, source, to);
  }

 private:
  static HWY_ATTR void write_line(const Stretches<T>& s, Task<T>& task, const T* from, T* to) {
    T* HWY_RESTRICT line = task.line;
    const std::int64_t channels = s.planes.channels;
    const std::int64_t count = task.table.count();
    if (from != task.held) {
      const SourceTable& table = task.table;
      const std::int64_t stride = s.planes.read.w;
      copy_runs(
          hn::ScalableTag<T>(), count, channels,
          [&](std::int64_t i) HWY_ATTR { return from + table.source(i) * stride; },
          [=](std::int64_t i) HWY_ATTR { return line + i * channels; });
    }
    task.held = from;
    task.writer.write(to, task.line, count * channels);
  }

  // Cells that share cache lines, as many at a time as the writer has room for.
  template <class Source>
  static HWY_ATTR void write_pieces(const Stretches<T>& s, Task<T>& task, const Source& source, T* to) {
    constexpr auto kRoom = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(T));
    const std::int64_t channels = s.planes.channels;
    const std::int64_t count = task.table.count();
    if (channels > kRoom) {
      for (std::int64_t i = 0; i < count; ++i) task.writer.write(to + i * channels, source(i), channels);
      return;
    }
    for (std::int64_t begin = 0; begin < count; begin += kRoom / channels) {
      const std::int64_t some = std::min(kRoom / channels, count - begin);
      T* HWY_RESTRICT room = task.writer.room(to + begin * channels, some * channels);
      copy_runs(
          hn::ScalableTag<T>(), some, channels, [&](std::int64_t i) HWY_ATTR { return source(begin + i); },
          [=](std::int64_t i) HWY_ATTR { return room + i * channels; });
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
  const std::int64_t channels = ScaledPlanes(plan, plan.self, plan.values).channels;
  return channels > 1 ? nullptr : "channels do not lie side by side";
}

CAIRN_RUN_KERNEL(copy_channels)

}  // namespace cairn::upsample_nearest::channels
#endif
