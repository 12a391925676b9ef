// Rows of neighbours along W: the maximum over the rows of a window first, cell by cell, then along W.

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/target.h"
#include "ops/max_pool_values/cpu/row_plan.h"
#include "ops/max_pool_values/cpu/window.h"
#include "ops/max_pool_values/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool_values/cpu/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool_values/cpu/row_steps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_values::HWY_NAMESPACE {

template <typename Lane>
class Rows {
 public:
  Rows(const Plan& plan, const RowPlan& rows, RowScratch& scratch, bool streaming)
      : writer_(streaming),
        p_(plan),
        axes_(plan),
        rows_(rows),
        keys_(plan.type),
        held_(scratch.held.data()),
        cells_(reinterpret_cast<Lane*>(scratch.cells.data())),
        best_(reinterpret_cast<Lane*>(scratch.best.data())),
        kept_(reinterpret_cast<Lane*>(scratch.rows.data())) {}

  void fill(std::int64_t row) {
    const RowPlace place(p_, row);
    Lane* values = place.values<Lane>(p_);
    for (std::int64_t o = 0; o < p_.out.w; o += rows_.windows) {
      const Span windows{o, std::min(o + rows_.windows, p_.out.w)};
      reduce_rows(place, windows);
      reduce_along(cells_, {windows.size(), axes_.w.kernel, axes_.w.stride, axes_.w.dilation}, best_);
      if (keys_.floating && are_doubtful(keys_, best_, windows.size(), minus_zero_)) repair(place, windows);
      store(values, windows);
    }
  }

 private:
  // The cells under the windows, each the best of its column, as keys; padding is the least of all.
  void reduce_rows(const RowPlace& place, const Span& windows) {
    const std::int64_t first = axes_.w.start(windows.begin);
    const std::int64_t last = axes_.w.start(windows.end - 1) + axes_.w.extent;
    const Span cells{std::clamp<std::int64_t>(first, 0, p_.in.w), std::clamp<std::int64_t>(last, 0, p_.in.w)};
    const Span taps_d = axes_.d.taps(place.d);
    const Span taps_h = axes_.h.taps(place.h);
    const bool none = taps_d.size() * taps_h.size() * cells.size() == 0;
    Lane* to = cells_ + (cells.begin - first);
    Lane* to_end = none ? to : to + cells.size();
    std::fill(cells_, to, OrderKey<Lane>::kLeast);
    std::fill(to_end, cells_ + (last - first) + kSlack, OrderKey<Lane>::kLeast);
    if (none) return;
    for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
      for (std::int64_t j = taps_h.begin; j < taps_h.end; j += kTogether) {
        const bool more = i > taps_d.begin || j > taps_h.begin;
        take_rows(place, i, {j, std::min(j + kTogether, taps_h.end)}, cells, more, to);
      }
    }
  }

  // A few rows at a time, from memory or as they were kept.
  void take_rows(const RowPlace& place, std::int64_t tap_d, const Span& taps, const Span& cells, bool more,
                 Lane* to) {
    const Lane* slice = place.plane<Lane>(p_) + axes_.d.cell(place.d, tap_d) * p_.self.d;
    const Lane* from[kTogether];
    for (std::int64_t j = taps.begin; j < taps.end; ++j) {
      const std::int64_t h = axes_.h.cell(place.h, j);
      const Lane* row = slice + h * p_.self.h;
      from[j - taps.begin] = (rows_.ring > 0 ? keep(row, h % rows_.ring) : row) + cells.begin;
    }
    if (rows_.ring > 0) {
      merge_rows<false>(keys_, from, taps.size(), cells.size(), more, to);
    } else {
      minus_zero_ |= merge_rows<true>(keys_, from, taps.size(), cells.size(), more, to);
    }
  }

  const Lane* keep(const Lane* row, std::int64_t slot) {
    Lane* kept = kept_ + slot * rows_.ring_pitch;
    if (held_[slot] != row) {
      held_[slot] = row;
      minus_zero_ |= merge_rows<true>(keys_, &row, 1, p_.in.w, false, kept);
    }
    return kept;
  }

  // The windows whose result depends on the order of their taps.
  HWY_NOINLINE void repair(const RowPlace& place, const Span& windows) {
    const Lane* plane = place.plane<Lane>(p_);
    for (std::int64_t o = 0; o < windows.size(); ++o) {
      if (!keys_.is_nan(best_[o]) && best_[o] != keys_.zero()) continue;
      best_[o] = best_of_window(p_, axes_, keys_, plane, {place.d, place.h, windows.begin + o});
    }
  }

  void store(Lane* values, const Span& windows) {
    if (p_.values.w == 1) {
      store_keys(keys_, best_, windows.size(), writer_.room(values + windows.begin, windows.size()));
      return;
    }
    for (std::int64_t o = 0; o < windows.size(); ++o)
      values[(windows.begin + o) * p_.values.w] = keys_.bits(best_[o]);
  }

  static constexpr std::int64_t kTogether = 3;
  static constexpr std::int64_t kSlack = 2 * std::int64_t{hn::MaxLanes(hn::ScalableTag<Lane>())} + 2;

  StreamWriter writer_;  // first, since it is aligned to cache lines
  const Plan& p_;
  const WindowAxes axes_;
  const RowPlan& rows_;
  const OrderKey<Lane> keys_;
  const void** const held_;
  Lane* const cells_;
  Lane* const best_;
  Lane* const kept_;
  bool minus_zero_ = false;  // since the first row
};

void run_rows(const Plan& plan, Workers& workers) {
  const RowPlan rows(plan);
  const std::int64_t bytes =
      plan.n * plan.c * (plan.in.count() + plan.out.count()) * std::int64_t{size_of(plan.type)};
  const bool streaming = streams_past_cache(bytes) && plan.values.w == 1;
  const Units units{.count = plan.n * plan.c * plan.out.d * plan.out.h,
                    .elements = rows.cells * std::min<std::int64_t>(plan.kernel.h, plan.stride.h + 1)};
  with_lane_type(plan.type, [&]<typename Lane>() HWY_ATTR {
    for_each_range(workers, units, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      const OfThread<RowScratch> scratch;
      scratch->make_room(rows);
      Rows<Lane> pool(plan, rows, *scratch, streaming);
      for (std::int64_t row = begin; row < end; ++row) pool.fill(row);
    });
  });
}

}  // namespace cairn::max_pool_values::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool_values::rows {

const char* why_not(const Plan& plan) {
  if (float_lanes() == 1) return "this machine has no vectors";
  if (plan.n * plan.c * plan.out.count() == 0) return "there are no windows";
  if (plan.in.w > 1 && plan.self.w != 1) return "neighbours along W do not lie side by side";
  if (WindowAxes(plan).w.extent > RowPlan::kMostCells / 2) return "windows are wide";
  return nullptr;
}

CAIRN_RUN_KERNEL(run_rows)

}  // namespace cairn::max_pool_values::rows
#endif
