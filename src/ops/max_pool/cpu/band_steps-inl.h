// A band is some rows of a slice. Its steps go over all of it before the next begins: a vector just written
// is no use to a load that straddles it and its neighbour until it has reached the cache.

#if defined(CAIRN_OPS_MAX_POOL_CPU_BAND_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_BAND_STEPS_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_BAND_STEPS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_BAND_STEPS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/maximum_of_taps-inl.h"
#include "ops/max_pool/cpu/band_grid.h"
#include "ops/max_pool/cpu/block_output-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR

// Rows of self; whole vectors of them can be read.
template <typename T>
struct RowsOfSelf {
  const T* from;
  std::int64_t step;  // from one to the next
  std::int64_t count;
};

// What the next band reads, prefetched bit by bit while this one is reduced: memory is never idle.
struct Upcoming {
  const std::byte* at;
  std::int64_t bytes;  // at a time

  HWY_INLINE void prefetch() {
    constexpr std::int64_t kLine = 64;
    hwy::Prefetch(at);
    if (bytes > kLine) hwy::Prefetch(at + kLine);
    at += bytes;
  }
};

template <class Windows>
HWY_INLINE void pad_behind(const BandGrid& grid, typename Windows::Cell* row) {
  const hn::ScalableTag<typename Windows::Cell> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t phase = 0; phase < grid.stride; ++phase) {
    const Span& padding = grid.behind[phase];
    for (std::int64_t i = padding.begin; i < padding.end; i += lanes) {
      hn::StoreU(hn::Set(d, Windows::kNothing), d, row + i);
    }
  }
}

// Cells as bands are reduced from, those at even and odd places apart if windows are two apart.
template <int kStride>
Alarm lay_out(const BandGrid& grid, const RowsOfSelf<float>& rows, std::int32_t /*position*/, float* to) {
  const Floats d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto watcher = hn::Zero(d);
  for (std::int64_t r = 0; r < rows.count; ++r, to += grid.row) {
    const float* from = rows.from + r * rows.step;
    for (std::int64_t i = 0; i < grid.cells; i += kStride * lanes) {
      const auto low = hn::LoadU(d, from + i);
      watch<Floats>(watcher, low);
      if constexpr (kStride == 1) {
        hn::Store(low, d, to + grid.lead + i);
      } else {
        const auto high = hn::LoadU(d, from + i + lanes);
        watch<Floats>(watcher, high);
        hn::Store(even_lanes(d, high, low), d, to + grid.lead + i / 2);
        hn::Store(odd_lanes(d, high, low), d, to + grid.phase + grid.lead + i / 2);
      }
    }
    pad_behind<FloatWindows>(grid, to);
  }
  return {is_alarmed(d, watcher), false};
}

// `position` is that of the first row's first cell, counted from the band's base.
template <int kStride, typename T>
Alarm lay_out(const BandGrid& grid, const RowsOfSelf<T>& rows, std::int32_t position, std::int32_t* to) {
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(di));
  const auto step = hn::Set(di, static_cast<std::int32_t>(kStride * lanes));
  const auto steps = hn::Mul(hn::Iota(di, 0), hn::Set(di, kStride));
  using D = std::conditional_t<kStride == 1, hn::Rebind<std::int16_t, Ints>, Halves>;
  const D d;
  HalfWatch<D, T> watcher;
  for (std::int64_t r = 0; r < rows.count; ++r, to += grid.row) {
    const auto* from = reinterpret_cast<const std::int16_t*>(rows.from + r * rows.step);
    auto places = hn::Sub(hn::Set(di, PackedWindows::kLast - position), steps);
    for (std::int64_t i = 0; i < grid.cells; i += kStride * lanes) {
      const auto bits = hn::LoadU(d, from + i);
      const auto order = to_or_from_order(d, bits);
      watcher.see(bits, order);
      if constexpr (kStride == 1) {
        hn::Store(hn::Or(hn::ShiftLeft<16>(hn::PromoteTo(di, order)), places), di, to + grid.lead + i);
      } else {
        const auto pairs = hn::BitCast(di, order);
        const auto even = hn::ShiftLeft<16>(pairs);
        const auto odd = hn::AndNot(hn::Set(di, PackedWindows::kLast), pairs);
        hn::Store(hn::Or(even, places), di, to + grid.lead + i / 2);
        hn::Store(hn::Or(odd, hn::Sub(places, hn::Set(di, 1))), di, to + grid.phase + grid.lead + i / 2);
      }
      places = hn::Sub(places, step);
    }
    position += grid.width;
    pad_behind<PackedWindows>(grid, to);
  }
  return watcher.alarm();
}

// The windows of every row along W. `position` is where the first row begins in the plane.
template <class Windows>
void reduce_rows(const BandGrid& grid, const typename Windows::Cell* HWY_RESTRICT from, std::int64_t rows,
                 std::int32_t position, Upcoming upcoming, typename Windows::Cell* HWY_RESTRICT to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Ints()));
  for (std::int64_t r = 0; r < rows; ++r) {
    typename Windows::Starts starts(position + grid.start, static_cast<std::int32_t>(grid.stride));
    for (std::int64_t o = 0; o < grid.windows; o += lanes) {
      upcoming.prefetch();
      Windows windows(from + grid.taps[0] + o);
      for (std::int64_t k = 1; k < grid.kernel; ++k) {
        windows.meet_tap(from + grid.taps[k] + o, static_cast<std::int32_t>(k));
      }
      windows.place(starts);
      starts.advance();
      windows.keep(to + o, grid.pitch);
    }
    from += grid.row;
    to += Windows::kStreams * grid.pitch;
    position += grid.width;
  }
}

// Rows of windows over W and H: kKernel x kRows taps, kStep rows from one to the next; put(windows, row, o)
// takes each vector. Goes down, so that what windows share stays in registers; the last vectors of the rows
// come first, as what they have past the row's end may be put over the next one's begin.
template <class Windows, int kKernel, int kRows, int kStep, typename Put>
HWY_INLINE void pool_columns(const BandGrid& grid, const typename Windows::Cell* from, std::int64_t rows,
                             std::int32_t position, Upcoming upcoming, const Put& put) {
  static_assert(kRows > kStep);
  constexpr std::size_t kShared = kRows - kStep;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Ints()));
  for (std::int64_t o = (grid.windows - 1) / lanes * lanes; o >= 0; o -= lanes) {
    const typename Windows::Cell* row = from + o;
    typename Windows::Starts starts(position + grid.start + static_cast<std::int32_t>(o * grid.stride),
                                    static_cast<std::int32_t>(grid.stride));
    const auto next_row = [&]() HWY_ATTR {
      upcoming.prefetch();
      Windows windows(row + grid.taps[0]);
      for (std::int64_t k = 1; k < kKernel; ++k) {
        windows.meet_tap(row + grid.taps[k], static_cast<std::int32_t>(k));
      }
      windows.place(starts);
      starts.advance_row(grid.width);
      row += grid.row;
      return windows;
    };
    Windows shared[kShared];
    for (std::size_t i = 0; i < kShared; ++i) shared[i] = next_row();
    for (std::int64_t r = 0; r < rows; ++r) {
      Windows windows = shared[0];
      for (std::size_t i = 1; i < kShared; ++i) windows.meet(shared[i]);
      for (std::size_t i = 0; i + kStep < kShared; ++i) shared[i] = shared[i + kStep];
      for (std::size_t i = 0; i < kStep; ++i) {
        const Windows next = next_row();
        windows.meet(next);
        if (i + kShared >= kStep) shared[i + kShared - kStep] = next;
      }
      put(windows, r, o);
    }
  }
}

// Rows of windows of which the best is to be found.
struct Line {
  std::int64_t at;       // from the first
  std::int32_t further;  // its base's distance from the first one's
};

// Row r of the result is the best of rows r * step of all lines, kLines or line_count if that is 0;
// put(windows, r, o) takes it.
template <class Windows, std::size_t kLines, typename Put>
HWY_INLINE void merge_lines(const BandGrid& grid, const typename Windows::Cell* from, const Line* lines,
                            std::size_t line_count, std::int64_t rows, std::int64_t step, const Put& put) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Ints()));
  const std::size_t count = kLines == 0 ? line_count : kLines;
  for (std::int64_t r = 0; r < rows; ++r, from += step) {
    for (std::int64_t o = 0; o < grid.windows; o += lanes) {
      Windows windows(from + lines[0].at + o, grid.pitch);
      for (std::size_t i = 1; i < count; ++i) {
        windows.meet_row(from + lines[i].at + o, grid.pitch, lines[i].further);
      }
      put(windows, r, o);
    }
  }
}

#endif

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
