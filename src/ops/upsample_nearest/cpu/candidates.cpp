#include "ops/upsample_nearest/cpu/candidates.h"

#include <array>
#include <type_traits>
#include <utility>

#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/upsample_nearest/cpu/axis.h"
#include "ops/upsample_nearest/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest/cpu/candidates.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// T is any type of the right size: bits are copied, never interpreted.
template <typename T>
using PickTag = hn::ScalableTag<std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>>;

template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void copy_run(D d, const T* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t count) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (count < lanes) return copy_run(hn::Half<D>(), from, to, count);
  }
  for (std::int64_t i = 0; i + lanes < count; i += lanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  hn::StoreU(hn::LoadU(d, from + count - lanes), d, to + count - lanes);
}

// Every element twice; `count` elements are written.
template <typename T>
HWY_INLINE void copy_twice(const T* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t count) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto v = hn::LoadU(d, from + i / 2);
    hn::StoreInterleaved2(v, v, d, to + i);
  }
#endif
  for (; i < count; i += 2) to[i] = to[i + 1] = from[i / 2];
}

#if HWY_TARGET == HWY_SCALAR
template <typename T>
void copy_windows(const SourceTable& table, const T* from, T* to) {
  for (std::int64_t i = 0; i < table.count(); ++i) to[i] = from[table.source(i)];
}
#else
// Neighbours as lanes that can be picked, and back.
template <class D, typename T>
HWY_INLINE hn::Vec<D> load_lanes(D d, const T* from) {
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    return hn::LoadU(d, from);
  } else {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<T, D>(), from));
  }
}
template <class D, typename T>
HWY_INLINE void store_lanes(D d, hn::Vec<D> v, T* to) {
  if constexpr (sizeof(T) == sizeof(hn::TFromD<D>)) {
    hn::StoreU(v, d, to);
  } else {
    const hn::Rebind<T, D> narrow;
    hn::StoreU(hn::DemoteTo(narrow, hn::BitCast(hn::RebindToSigned<D>(), v)), narrow, to);
  }
}

// Writes whole vectors.
template <typename T>
HWY_INLINE void copy_windows(const SourceTable& table, const T* HWY_RESTRICT from, T* HWY_RESTRICT to) {
  const PickTag<T> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < table.count(); i += lanes) {
    const auto window = load_lanes(d, from + table.window(i, lanes));
    if constexpr (sizeof(T) == 8) {
      const auto places =
          hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::int32_t, PickTag<T>>(), table.places(i)));
      store_lanes(d, hn::TableLookupLanes(window, hn::IndicesFromVec(d, places)), to + i);
    } else {
      const auto places = hn::LoadU(di, table.places(i));
      store_lanes(d, hn::TableLookupLanes(window, hn::IndicesFromVec(d, places)), to + i);
    }
  }
}
#endif

// Works on stretches: some neighbouring positions of one line of W, with all channels if those lie side by
// side.
template <typename T>
class Upsample {
 public:
  explicit Upsample(const Plan& plan)
      : d_{plan.in.d, plan.out.d, plan.scale_d},
        h_{plan.in.h, plan.out.h, plan.scale_h},
        w_{plan.in.w, plan.out.w, plan.scale_w},
        read_(plan.self),
        written_(plan.values),
        planes_n_(plan.n),
        planes_c_(plan.c) {
    // Neighbours along W make the vectors, so an axis that is there in name only must not be W.
    for (int i = 0; i < 2 && w_.is_trivial(); ++i) {
      w_ = std::exchange(h_, std::exchange(d_, Axis{1, 1, 1.0F}));
      read_.w = std::exchange(read_.h, std::exchange(read_.d, 0));
      written_.w = std::exchange(written_.h, std::exchange(written_.d, 0));
    }
    if (plan.c > 1 && read_.c == 1 && written_.c == 1) std::swap(planes_c_, channels_);
    dense_ = written_.w == channels_ || w_.out == 1;
    stretch_ = std::clamp<std::int64_t>(kLine / channels_, 1, w_.out);
    stretches_ = (w_.out + stretch_ - 1) / stretch_;
  }

  HWY_ATTR void run(Workers& workers) const {
    const std::int64_t lines = planes_n_ * planes_c_ * d_.out * h_.out;
    const std::int64_t cells = planes_n_ * planes_c_ * d_.in * h_.in * w_.in * channels_;
    const auto size = static_cast<std::int64_t>(sizeof(T));
    const bool streaming = streams_past_cache((cells + lines * w_.out * channels_) * size);
    constexpr std::int64_t kGrainBytes = 65536;
    const std::int64_t grain = std::max<std::int64_t>(kGrainBytes / (stretch_ * channels_ * size), 1);
    for_each_range(workers, lines * stretches_, grain, 1, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      Task task(streaming);
      write_lines(task, begin, end);
    });
  }

 private:
  static constexpr std::int64_t kLineBytes = 16384;
  static constexpr auto kLine =
      std::min(kLineBytes / static_cast<std::int64_t>(sizeof(T)), SourceTable::kMost);
  static constexpr std::int64_t kMostLanes = 64;
  // Channels as long as this go straight from self to values.
  static constexpr auto kLongRun = 1024 / static_cast<std::int64_t>(sizeof(T));

  struct Task {
    explicit Task(bool streaming) : writer(streaming) {}
    StreamWriter writer;
    SourceTable table;
    const T* held = nullptr;  // the line that `line` was made of
    alignas(64) T line[kLine + kMostLanes];
  };

  // Lines [begin, end), counted over planes, stretches, D and H.
  void write_lines(Task& task, std::int64_t begin, std::int64_t end) const {
    std::int64_t rest = begin;
    const auto next_digit = [&rest](std::int64_t base) {
      const std::int64_t digit = rest % base;
      rest /= base;
      return digit;
    };
    std::int64_t h = next_digit(h_.out);
    std::int64_t d = next_digit(d_.out);
    std::int64_t stretch = next_digit(stretches_);
    std::int64_t c = next_digit(planes_c_);
    std::int64_t n = rest;
    fill_table(task, stretch);
    for (std::int64_t i = begin; i < end; ++i) {
      const T* from = static_cast<const T*>(read_.data) + n * read_.n + c * read_.c + d_.source(d) * read_.d +
                      h_.source(h) * read_.h + task.table.first_cell() * read_.w;
      T* to = static_cast<T*>(written_.data) + n * written_.n + c * written_.c + d * written_.d +
              h * written_.h + stretch * stretch_ * written_.w;
      write_stretch(task, from, to);
      if (++h < h_.out) continue;
      h = 0;
      if (++d < d_.out) continue;
      d = 0;
      if (++stretch == stretches_) {
        stretch = 0;
        if (++c == planes_c_) c = 0, ++n;
      }
      if (stretches_ > 1) fill_table(task, stretch);
    }
  }

  void fill_table(Task& task, std::int64_t stretch) const {
    const std::int64_t first = stretch * stretch_;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(PickTag<T>()));
    task.held = nullptr;
    task.table.fill(w_, first, std::min(stretch_, w_.out - first),
                    channels_ == 1 && read_.w == 1 ? lanes : 1);
  }

  void write_stretch(Task& task, const T* from, T* to) const {
    using Pattern = SourceTable::Pattern;
    const SourceTable& table = task.table;
    if (dense_ && table.pattern() == Pattern::kSame && (read_.w == channels_ || table.count() == 1)) {
      return task.writer.write(to, from, table.count() * channels_);
    }
    if (channels_ >= kLongRun) {
      for (std::int64_t i = 0; i < table.count(); ++i) {
        task.writer.write(to + i * written_.w, from + table.source(i) * read_.w, channels_);
      }
      return;
    }
    if (from != task.held) make_line(task, from);
    task.held = from;
    if (dense_) return task.writer.write(to, task.line, table.count() * channels_);
    for (std::int64_t i = 0; i < table.count(); ++i) {
      copy_run(hn::ScalableTag<T>(), task.line + i * channels_, to + i * written_.w, channels_);
    }
  }

  void make_line(Task& task, const T* from) const {
    using Pattern = SourceTable::Pattern;
    const SourceTable& table = task.table;
    if (channels_ > 1) {
      for (std::int64_t i = 0; i < table.count(); ++i) {
        copy_run(hn::ScalableTag<T>(), from + table.source(i) * read_.w, task.line + i * channels_,
                 channels_);
      }
    } else if (read_.w == 1 && table.pattern() == Pattern::kPairs) {
      copy_twice(from, task.line, table.count());
    } else if (read_.w == 1 && table.pattern() == Pattern::kWindows) {
      copy_windows(table, from, task.line);
    } else {
      for (std::int64_t i = 0; i < table.count(); ++i) task.line[i] = from[table.source(i) * read_.w];
    }
  }

  Axis d_, h_, w_;
  View5 read_, written_;
  std::int64_t planes_n_, planes_c_;
  std::int64_t channels_ = 1;  // neighbours in memory, or 1
  std::int64_t stretch_;       // positions of W
  std::int64_t stretches_;     // to a line of W
  bool dense_;                 // a stretch of values is one run
};

HWY_ATTR void run_upsample(const Plan& plan, Workers& workers) {
  switch (size_of(plan.type)) {
    case 1:
      return Upsample<std::uint8_t>(plan).run(workers);
    case 2:
      return Upsample<std::uint16_t>(plan).run(workers);
    case 4:
      return Upsample<std::uint32_t>(plan).run(workers);
    default:
      return Upsample<std::uint64_t>(plan).run(workers);
  }
}

}  // namespace cairn::upsample_nearest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest {

HWY_EXPORT(run_upsample);

namespace {

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.out.count() > 0) HWY_DYNAMIC_DISPATCH(run_upsample)(plan, workers);
  return std::nullopt;
}

constexpr std::array kCandidates = {candidate<nothing<Plan>, run_on_cpu>("all")};

}  // namespace

constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;

}  // namespace cairn::upsample_nearest
#endif
