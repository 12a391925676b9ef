// Neighbours along W, in bands of rows: the maximum over the rows of a window first, cell by cell, then along
// W, each step over the whole band, as if its rows were one.

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/target.h"
#include "ops/max_pool_values/cpu/band_plan.h"
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
  Rows(const Plan& plan, const BandPlan& bands, BandScratch& scratch, bool streaming)
      : writer_(streaming),
        p_(plan),
        axes_(plan),
        bands_(bands),
        keys_(plan.type),
        lines_(reinterpret_cast<Lane*>(scratch.lines.data())),
        cells_(reinterpret_cast<Lane*>(scratch.cells.data())),
        best_(reinterpret_cast<Lane*>(scratch.best.data())) {}

  void fill(std::int64_t number) {
    const std::int64_t stretch = number % bands_.stretches;
    const std::int64_t band = number / bands_.stretches % bands_.bands;
    const std::int64_t slice = number / bands_.stretches / bands_.bands;
    const std::int64_t h = band * bands_.rows;
    const std::int64_t rows = std::min(bands_.rows, p_.out.h - h);
    if (rows <= 0) return;
    const Band it{RowPlace(p_, slice * p_.out.h + h), rows, windows_of(stretch)};
    start_ = axes_.w.start(it.windows.begin);
    cut_.begin = std::clamp<std::int64_t>(start_, 0, p_.in.w);
    cut_.end = std::clamp<std::int64_t>(axes_.w.start(it.windows.end - 1) + axes_.w.extent, 0, p_.in.w);
    const std::int64_t step = bands_.pitch / axes_.w.stride;
    const std::int64_t all = (rows - 1) * step + it.windows.size();
    if (!reduce_pairs(it, step)) {
      reduce_rows(it);
      reduce_along(cells_, {all, axes_.w.kernel, axes_.w.stride, axes_.w.dilation}, best_);
    }
    const bool doubtful = keys_.floating && are_doubtful(keys_, best_, all, minus_zero_);
    for (std::int64_t r = 0; r < rows; ++r) {
      RowPlace place = it.first;
      place.h += r;
      if (doubtful) repair(place, it.windows, best_ + r * step);
      store(place, it.windows, best_ + r * step);
    }
  }

 private:
  struct Band {
    RowPlace first;
    std::int64_t rows;
    Span windows;
  };

  Span windows_of(std::int64_t stretch) const {
    return {stretch * bands_.windows, std::min((stretch + 1) * bands_.windows, p_.out.w)};
  }

  // Pairs along W in a few rows: straight to the best of each window. False if they are no such windows.
  bool reduce_pairs([[maybe_unused]] const Band& band, [[maybe_unused]] std::int64_t step) {
#if HWY_TARGET != HWY_SCALAR
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(hn::ScalableTag<Lane>()));
    if (axes_.w.kernel != 2 || axes_.w.stride != 2 || axes_.w.dilation != 1 || p_.kernel.d != 1) return false;
    if (axes_.h.kernel > kTogether || band.windows.size() < lanes) return false;
    if (cut_.begin != start_ || cut_.size() != 2 * band.windows.size()) return false;
    for (std::int64_t r = 0; r < band.rows; ++r) {
      RowPlace place = band.first;
      place.h += r;
      const Span taps_d = axes_.d.taps(place.d);
      const Span taps_h = axes_.h.taps(place.h);
      if (taps_d.size() * taps_h.size() == 0) {
        std::fill_n(best_ + r * step, band.windows.size(), OrderKey<Lane>::kLeast);
        continue;
      }
      minus_zero_ |= merge_pairs(keys_, rows_of(place, taps_d.begin, taps_h), best_ + r * step);
    }
    return true;
#else
    return false;
#endif
  }

  // The cells under the windows, each the best of its column, as keys; padding is the least of all.
  void reduce_rows(const Band& band) {
    if (bands_.lines > 0) return reduce_lines(band);
    for (std::int64_t r = 0; r < band.rows; ++r) {
      RowPlace place = band.first;
      place.h += r;
      Lane* row = cells_ + r * bands_.pitch;
      const Span taps_d = axes_.d.taps(place.d);
      const Span taps_h = axes_.h.taps(place.h);
      pad(row, taps_d.size() * taps_h.size() > 0);
      for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
        for (std::int64_t j = taps_h.begin; j < taps_h.end; j += kTogether) {
          const bool more = i > taps_d.begin || j > taps_h.begin;
          take_rows(place, i, {j, std::min(j + kTogether, taps_h.end)}, more, row);
        }
      }
    }
  }

  // Where the row has cells of the plane is left as it is.
  void pad(Lane* row, bool has_cells) const {
    const Span cells = has_cells ? cut_ : Span{start_, start_};
    std::fill(row, row + (cells.begin - start_), OrderKey<Lane>::kLeast);
    std::fill(row + (cells.end - start_), row + bands_.pitch, OrderKey<Lane>::kLeast);
  }

  // A few rows at a time.
  void take_rows(const RowPlace& place, std::int64_t tap_d, const Span& taps, bool more, Lane* row) {
    if (cut_.size() == 0) return;
    minus_zero_ |= merge_rows(keys_, rows_of(place, tap_d, taps), more, row + (cut_.begin - start_));
  }

  RowsOfSelf<Lane> rows_of(const RowPlace& place, std::int64_t tap_d, const Span& taps) const {
    const Lane* slice = place.plane<Lane>(p_) + axes_.d.cell(place.d, tap_d) * p_.self.d + cut_.begin;
    RowsOfSelf<Lane> rows{{}, taps.size(), cut_.size(), bands_.ahead};
    for (std::int64_t j = taps.begin; j < taps.end; ++j)
      rows.from[j - taps.begin] = slice + axes_.h.cell(place.h, j) * p_.self.h;
    return rows;
  }

  // Windows share rows: each is made keys once.
  void reduce_lines(const Band& band) {
    const std::int64_t top = axes_.h.start(band.first.h);
    const std::int64_t lines = (band.rows - 1) * axes_.h.stride + axes_.h.extent;
    const bool in_slice = axes_.d.taps(band.first.d).size() > 0;
    const std::int64_t d = in_slice ? axes_.d.cell(band.first.d, axes_.d.taps(band.first.d).begin) : 0;
    const Lane* slice = band.first.template plane<Lane>(p_) + d * p_.self.d + cut_.begin;
    for (std::int64_t i = 0; i < lines; ++i) {
      const std::int64_t h = top + i;
      const bool has_cells = in_slice && h >= 0 && h < p_.in.h && cut_.size() > 0;
      Lane* line = lines_ + i * bands_.pitch;
      pad(line, has_cells);
      if (!has_cells) continue;
      const RowsOfSelf<Lane> row{{slice + h * p_.self.h}, 1, cut_.size(), bands_.ahead};
      minus_zero_ |= merge_rows(keys_, row, false, line + (cut_.begin - start_));
    }
    merge_lines(lines_,
                {axes_.h.kernel, axes_.h.dilation * bands_.pitch, axes_.h.stride * bands_.pitch, bands_.pitch,
                 band.rows},
                cells_);
  }

  // The windows whose result depends on the order of their taps.
  HWY_NOINLINE void repair(const RowPlace& place, const Span& windows, Lane* best) const {
    const Lane* plane = place.plane<Lane>(p_);
    for (std::int64_t o = 0; o < windows.size(); ++o) {
      if (!keys_.is_nan(best[o]) && best[o] != keys_.zero()) continue;
      best[o] = best_of_window(p_, axes_, keys_, plane, {place.d, place.h, windows.begin + o});
    }
  }

  void store(const RowPlace& place, const Span& windows, const Lane* best) {
    Lane* values = place.values<Lane>(p_) + windows.begin * p_.values.w;
    if (p_.values.w == 1) {
      if (writer_.takes_lines(values, windows.size()))
        return stream_keys(keys_, best, windows.size(), values);
      store_keys(hn::ScalableTag<Lane>(), keys_, best, windows.size(), writer_.room(values, windows.size()));
      return;
    }
    for (std::int64_t o = 0; o < windows.size(); ++o) values[o * p_.values.w] = keys_.bits(best[o]);
  }

  static constexpr std::int64_t kTogether = RowsOfSelf<Lane>::kMost;

  StreamWriter writer_;  // first, since it is aligned to cache lines
  const Plan& p_;
  const WindowAxes axes_;
  const BandPlan& bands_;
  const OrderKey<Lane> keys_;
  Lane* const lines_;
  Lane* const cells_;
  Lane* const best_;
  std::int64_t start_ = 0;   // the cell of W, or of the padding before it, that rows begin with
  Span cut_;                 // the cells of W that they have
  bool minus_zero_ = false;  // since the first row
};

void run_rows(const Plan& plan, Workers& workers) {
  const BandPlan bands(plan);
  const std::int64_t bytes =
      plan.n * plan.c * (plan.in.count() + plan.out.count()) * std::int64_t{size_of(plan.type)};
  const bool streaming = streams_past_cache(bytes) && plan.values.w == 1;
  const Units units{.count = plan.n * plan.c * plan.out.d * bands.bands * bands.stretches,
                    .elements = bands.rows * bands.pitch * std::min(plan.kernel.h, plan.stride.h + 1)};
  with_lane_type(plan.type, [&]<typename Lane>() HWY_ATTR {
    for_each_range(workers, units, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      const OfThread<BandScratch> scratch;
      scratch->make_room(bands);
      Rows<Lane> pool(plan, bands, *scratch, streaming);
      for (std::int64_t band = begin; band < end; ++band) pool.fill(band);
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
  if (WindowAxes(plan).w.extent > BandPlan::kMostCells / 2) return "windows are wide";
  if (plan.stride.w > BandPlan::kMostCells / 2) return "windows lie far apart";
  return nullptr;
}

CAIRN_RUN_KERNEL(run_rows)

}  // namespace cairn::max_pool_values::rows
#endif
