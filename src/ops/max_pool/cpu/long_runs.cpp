// Windows whose taps lie in long runs and are shared by few others, as in global pooling: vectors along the
// taps. Of the time that rows need it takes 2 % (planes of 7×7×7), 7 % (7×7), 16 % (k64 s64).

#include <algorithm>
#include <cstdint>
#include <limits>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/cpu/whole_axes.h"
#include "ops/max_pool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/long_runs.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/maximum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using cairn::HWY_NAMESPACE::Floats;
using cairn::HWY_NAMESPACE::Ints;
using cairn::HWY_NAMESPACE::is_alarmed;
using cairn::HWY_NAMESPACE::Leader;
using cairn::HWY_NAMESPACE::load_float;
using cairn::HWY_NAMESPACE::watch;

// The best of one window, each lane's own. Lanes see their taps in ascending order; one that comes twice
// changes nothing.
template <bool kNans, typename T>
class BestOfRuns {
 public:
  // The first tap is everybody's.
  HWY_INLINE BestOfRuns(T cell, std::int32_t position)
      : even_(hn::Set(Floats(), to_float(cell)), hn::Set(Ints(), position)),
        odd_(even_),
        watcher_(hn::Zero(Floats())) {}

  // Cells side by side, the first at `position`.
  HWY_INLINE void meet(const T* cells, std::int32_t position, std::int64_t count) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
    if (count < lanes) return meet_few(cells, position, count);
    std::int64_t i = 0;
    auto places = hn::Iota(Ints(), position);
    const auto step = hn::Set(Ints(), static_cast<std::int32_t>(2 * lanes));
    const auto behind = hn::Set(Ints(), static_cast<std::int32_t>(lanes));
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
      meet(even_, load_float(Floats(), cells + i), places);
      meet(odd_, load_float(Floats(), cells + i + lanes), hn::Add(places, behind));
      places = hn::Add(places, step);
    }
    if (i + lanes <= count) meet(even_, load_float(Floats(), cells + i), places);
    if (count % lanes == 0) return;
    i = count - lanes;
    meet(odd_, load_float(Floats(), cells + i), hn::Iota(Ints(), position + static_cast<std::int32_t>(i)));
  }

  // True if there may have been a NaN.
  bool is_alarmed() const { return HWY_NAMESPACE::is_alarmed(Floats(), watcher_); }

  // Where the window's best lies; there were taps.
  std::int32_t position() const {
    const Floats d;
    const Ints di;
    if constexpr (kNans) {
      const auto last = hn::Max(last_nan(even_), last_nan(odd_));
      const std::int32_t position = hn::GetLane(hn::MaxOfLanes(di, last));
      if (position >= 0) return position;
    }
    const auto best = hn::MaxOfLanes(d, hn::Max(even_.value, odd_.value));
    return hn::GetLane(hn::MinOfLanes(di, hn::Min(first(even_, best), first(odd_, best))));
  }

 private:
  HWY_INLINE void meet(Leader<Floats>& leader, hn::Vec<Floats> tap, hn::Vec<Ints> place) {
    watch<Floats>(watcher_, tap);
    leader.template meet<kNans>(tap, place);
  }

  // Fewer than a vector: the first one fills it up.
  HWY_INLINE void meet_few(const T* cells, std::int32_t position, std::int64_t count) {
    const Ints di;
    alignas(64) T some[hn::MaxLanes(Floats())];
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
    for (std::int64_t i = 0; i < lanes; ++i) some[i] = cells[i < count ? i : 0];
    const auto numbers = hn::Iota(di, 0);
    const auto mine = hn::Lt(numbers, hn::Set(di, static_cast<std::int32_t>(count)));
    meet(even_, load_float(Floats(), some),
         hn::Add(hn::IfThenElseZero(mine, numbers), hn::Set(di, position)));
  }

  static HWY_INLINE hn::Vec<Ints> first(const Leader<Floats>& leader, hn::Vec<Floats> best) {
    const Ints di;
    return hn::IfThenElse(hn::RebindMask(di, hn::Eq(leader.value, best)), leader.position,
                          hn::Set(di, std::numeric_limits<std::int32_t>::max()));
  }
  static HWY_INLINE hn::Vec<Ints> last_nan(const Leader<Floats>& leader) {
    const Ints di;
    return hn::IfThenElse(hn::RebindMask(di, hn::IsNaN(leader.value)), leader.position, hn::Set(di, -1));
  }

  Leader<Floats> even_, odd_;
  hn::Vec<Floats> watcher_;
};

// Plans have whole rows merged.
template <typename T, typename Index>
class LongRuns {
 public:
  explicit LongRuns(const Plan& plan) : p_(plan), axes_(plan), dense_(is_dense(plan.self, plan.in)) {}

  // Windows of all planes, by number.
  void fill(std::int64_t begin, std::int64_t end) const {
    const std::int64_t plane = begin / p_.out.count();
    const std::int64_t first = begin % p_.out.count();
    Size3 window{first / p_.out.w / p_.out.h, first / p_.out.w % p_.out.h, first % p_.out.w};
    std::int64_t n = plane / p_.c;
    std::int64_t c = plane % p_.c;
    const auto is_past = [](std::int64_t& i, std::int64_t size) {
      if (++i < size) return false;
      i = 0;
      return true;
    };
    for (std::int64_t i = begin; i < end; ++i) {
      fill(n, c, window);
      if (is_past(window.w, p_.out.w) && is_past(window.h, p_.out.h) && is_past(window.d, p_.out.d) &&
          is_past(c, p_.c))
        ++n;
    }
  }

 private:
  struct Run {
    const T* cells;
    std::int32_t position;
  };

  void fill(std::int64_t n, std::int64_t c, const Size3& window) const {
    const T* plane = static_cast<const T*>(p_.self.data) + n * p_.self.n + c * p_.self.c;
    const auto offset = [&](const View5& view) {
      return n * view.n + c * view.c + window.d * view.d + window.h * view.h + window.w * view.w;
    };
    const std::int64_t position = best_of(plane, window);
    static_cast<T*>(p_.values.data)[offset(p_.values)] =
        position < 0 ? from_float<T>(-std::numeric_limits<float>::infinity()) : cell(plane, position);
    static_cast<Index*>(p_.indices.data)[offset(p_.indices)] = static_cast<Index>(position);
  }

  T cell(const T* plane, std::int64_t position) const {
    if (dense_) return plane[position];
    const std::int64_t row = position / p_.in.w;
    return plane[row / p_.in.h * p_.self.d + row % p_.in.h * p_.self.h + position % p_.in.w];
  }

  // Where the best tap lies in the plane, -1 if there is none.
  std::int64_t best_of(const T* plane, const Size3& window) const {
    const Span taps_d = axes_.d.taps(window.d);
    const Span taps_h = axes_.h.taps(window.h);
    const Span taps_w = axes_.w.taps(window.w);
    if (taps_d.size() * taps_h.size() * taps_w.size() == 0) return -1;
    const std::int64_t w = axes_.w.cell(window.w, taps_w.begin);
    const auto run = [&](std::int64_t i, std::int64_t j) {
      const std::int64_t d = axes_.d.cell(window.d, i);
      const std::int64_t h = axes_.h.cell(window.h, j);
      return Run{plane + d * p_.self.d + h * p_.self.h + w,
                 static_cast<std::int32_t>((d * p_.in.h + h) * p_.in.w + w)};
    };
    const auto meet_all = [&](auto& best) HWY_ATTR {
      for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
        for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j) {
          best.meet(run(i, j).cells, run(i, j).position, taps_w.size());
        }
      }
    };
    const Run first = run(taps_d.begin, taps_h.begin);
    BestOfRuns<false, T> best(*first.cells, first.position);
    meet_all(best);
    if (!best.is_alarmed()) return best.position();
    BestOfRuns<true, T> careful(*first.cells, first.position);
    meet_all(careful);
    return careful.position();
  }

  const Plan& p_;
  const WindowAxes axes_;
  const bool dense_;
};

void run_long_runs(const Plan& plan, Workers& workers) {
  // Taps in a run are looked at in vectors, which costs little each.
  constexpr std::int64_t kTapsPerElement = 4;
  const Plan merged = with_whole_rows_merged(plan);
  const Units windows{.count = plan.n * plan.c * plan.out.count(),
                      .elements = merged.kernel.count() / kTapsPerElement};
  with_float_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() HWY_ATTR {
    const LongRuns<T, Index> runs(merged);
    for_each_range(workers, windows,
                   [&](std::int64_t begin, std::int64_t end) HWY_ATTR { runs.fill(begin, end); });
  });
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool::small_planes {
const char* why_not(const Plan& plan);
}
namespace cairn::max_pool::long_runs {
namespace {

// Runs of two or three vectors: small_planes takes 60 to 85 % of the time (planes of 6×6, 7×7, 8×40), while
// the planes that it looks at together fit the cache.
bool is_for_small_planes(const Plan& plan, const Plan& merged) {
  constexpr std::int64_t kMostTaps = 49;
  constexpr std::int64_t kMostCells = 640;
  return merged.kernel.w <= kMostTaps && merged.in.count() <= kMostCells &&
         small_planes::why_not(plan) == nullptr;
}

}  // namespace

const char* why_not(const Plan& plan) {
  constexpr std::int64_t kMostSharing = 2;
  constexpr std::int64_t kLeastRun = 32;  // two vectors or more
  if (const char* reason = why_no_blocks(plan)) return reason;
  if (float_lanes() == 1) return "this machine has no vectors";
  const Plan merged = with_whole_rows_merged(plan);
  const WindowAxes axes(merged);
  if (merged.self.w != 1) return "W is not dense";
  if (merged.dilation.w != 1) return "windows are dilated along W";
  if (std::min(merged.kernel.w, merged.in.w) < kLeastRun) return "runs of taps are short";
  if (axes.d.most_windows() * axes.h.most_windows() * axes.w.most_windows() > kMostSharing)
    return "windows share most of their taps";
  if (is_for_small_planes(plan, merged)) return "planes are small, and so are windows";
  return nullptr;
}

CAIRN_RUN_KERNEL(run_long_runs)

}  // namespace cairn::max_pool::long_runs
#endif
