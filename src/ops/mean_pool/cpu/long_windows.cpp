// Windows of more than 64 taps: the lanes of a run side by side, and of a few windows their last additions.
// A window of many runs is shared by threads.

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool/cpu/window_runs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool/cpu/long_windows.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/mean_pool/cpu/line_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

using long_sum::kRun;

// The lanes of up to 4096 terms that follow each other.
template <typename T>
HWY_INLINE void fill_lanes(const T* terms, std::int64_t count, float* HWY_RESTRICT lanes) {
  const hn::ScalableTag<float> d;
  constexpr std::int64_t kWidth{hn::MaxLanes(hn::ScalableTag<float>())};
  constexpr std::int64_t kVectors = long_sum::kLanes / kWidth;
  constexpr std::int64_t kLine = 64 / sizeof(T);
  constexpr std::int64_t kAhead = 4096 / sizeof(T);
  hn::Vec<decltype(d)> sums[kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  std::int64_t at = 0;
  for (; at + long_sum::kLanes <= count; at += long_sum::kLanes) {
    for (std::int64_t i = 0; i < long_sum::kLanes; i += kLine) hwy::Prefetch(terms + at + i + kAhead);
    for (std::int64_t v = 0; v < kVectors; ++v)
      sums[v] = hn::Add(sums[v], load_float(d, terms + at + v * kWidth));
  }
  for (std::int64_t v = 0; at < count; ++v, at += kWidth)
    sums[v] = hn::Add(sums[v], load_first(d, terms + at, count - at));
  for (std::int64_t v = 0; v < kVectors; ++v) hn::StoreU(sums[v], d, lanes + v * kWidth);
}

// Rows of kRow terms, of which 64 / kRow fill all lanes: `groups` times so many in each slice.
struct Rows {
  std::int64_t pitch, groups;
  std::int64_t slice_pitch, slices;
  std::int64_t ahead;  // to the rows that are read soon: no processor foresees which
};

// The same of those.
template <int kRow, typename T>
HWY_INLINE void fill_lanes(const T* slice, const Rows& all, float* HWY_RESTRICT lanes) {
  constexpr int kRows = long_sum::kLanes / kRow;
  using D = hn::CappedTag<float, kRow>;
  const D d;
  constexpr int kWidth{hn::MaxLanes(D())};
  constexpr int kVectors = kRow / kWidth;
  hn::Vec<D> sums[kRows * kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::int64_t i = 0; i < all.slices; ++i, slice += all.slice_pitch) {
    const T* rows = slice;
    for (std::int64_t group = 0; group < all.groups; ++group, rows += kRows * all.pitch)
      for (int row = 0; row < kRows; ++row) {
        hwy::Prefetch(rows + row * all.pitch + all.ahead);
        for (int v = 0; v < kVectors; ++v)
          sums[row * kVectors + v] =
              hn::Add(sums[row * kVectors + v], load_float(d, rows + row * all.pitch + v * kWidth));
      }
  }
  for (int v = 0; v < kRows * kVectors; ++v) hn::StoreU(sums[v], d, lanes + std::int64_t{v} * kWidth);
}

template <typename T>
class LongWindows {
 public:
  static constexpr int kVectors = 2;
  static constexpr std::int64_t kTogether = kVectors * kLines;  // windows

  explicit LongWindows(const Plan& plan) : p_(plan) {}

  // Windows of one run, counted over all planes.
  void pool_windows(std::int64_t begin, std::int64_t end) const {
    alignas(64) float lanes[kTogether][long_sum::kLanes];
    alignas(64) float packed[kRun];
    Window window(p_, begin);
    for (std::int64_t first = begin; first < end; first += kTogether) {
      const std::int64_t count = std::min(kTogether, end - first);
      alignas(64) float by[kTogether];
      alignas(64) T stored[kTogether];
      const float* lines[kTogether];
      T* to[kTogether];
      for (std::int64_t i = 0; i < kTogether; ++i) {
        lines[i] = lanes[std::min(i, count - 1)];
        by[i] = 1;
        if (i >= count) continue;
        by[i] = window.divisor(p_);
        to[i] = window.value(p_);
        fill(window, 0, window.taps(), lanes[i], packed);
        window.step(p_);
      }
      const Lines d;
      hn::Vec<Lines> sums[kVectors];
      for (auto& sum : sums) sum = hn::Zero(d);
      add_lines_of(sums, lines, 0, long_sum::kLanes, false, [](std::int64_t) {});
      for (std::int64_t v = 0; v < kVectors; ++v)
        store_sums(d, hn::Div(sums[v], hn::LoadU(d, by + v * kLines)), stored + v * kLines);
      for (std::int64_t i = 0; i < count; ++i) *to[i] = stored[i];
    }
  }

  // One run of a window, the last of which may be shorter.
  float run_sum(std::int64_t number, std::int64_t run) const {
    const Window window(p_, number);
    const std::int64_t begin = run * kRun;
    if (begin >= window.taps()) return 0;
    alignas(64) float lanes[long_sum::kLanes];
    alignas(64) float packed[kRun];
    fill(window, begin, std::min(begin + kRun, window.taps()), lanes, packed);
    return long_sum::fold(lanes);
  }

  void finish(std::int64_t number, const float* runs) const {
    const Window window(p_, number);
    LongSum<float> sum;
    for (std::int64_t run = 0; run * kRun < window.taps(); ++run) sum.add(runs[run]);
    *window.value(p_) = rounded<T>(sum.result() / window.divisor(p_));
  }

 private:
  struct Window {
    Window(const Plan& p, std::int64_t number)
        : at(p, number / p.w.out),
          w(number % p.w.out),
          cells_d(p.d.cells(at.d)),
          cells_h(p.h.cells(at.h)),
          cells_w(p.w.cells(w)) {}

    // To the next. Finding it anew takes four divisions: a Xeon from 2019, one thread, least ms with steps
    // and without, a quarter of g3-32to4: FLOAT 8.0 and 11.5, FLOAT16 6.1 and 10.4.
    void step(const Plan& p) {
      if (++w == p.w.out) {
        w = 0;
        at.step(p);
        cells_d = p.d.cells(at.d);
        cells_h = p.h.cells(at.h);
      }
      cells_w = p.w.cells(w);
    }

    std::int64_t taps() const { return cells_d.size() * cells_h.size() * cells_w.size(); }
    float divisor(const Plan& p) const { return RowDivisors<float>(p, at.d, at.h).of(w); }
    T* value(const Plan& p) const { return at.template values<T>(p) + w * p.values.w; }

    RowPlace at;
    std::int64_t w;
    Span cells_d, cells_h, cells_w;
  };

  // Lanes of the taps from `begin` to `end`, which are at most a run. Those of several rows are put one
  // behind the other first.
  void fill(const Window& window, std::int64_t begin, std::int64_t end, float* lanes, float* packed) const {
    const T* first = window.at.template self<T>(p_) + window.cells_d.begin * p_.self.d +
                     window.cells_h.begin * p_.self.h + window.cells_w.begin * p_.self.w;
    const std::int64_t width = window.cells_w.size();
    const std::int64_t height = window.cells_h.size();
    if (p_.self.w == 1 && height == 1 && window.cells_d.size() == 1)
      return fill_lanes(first + begin, end - begin, lanes);
    if (begin == 0 && end == window.taps() && fill_whole(window, first, lanes)) return;
    std::int64_t row = begin / width;
    std::int64_t from = begin % width;
    std::int64_t d = row / height;
    std::int64_t h = row % height;
    if (p_.self.w == 1 && row == (end - 1) / width)
      return fill_lanes(first + d * p_.self.d + h * p_.self.h + from, end - begin, lanes);
    float* to = packed;
    for (std::int64_t left = end - begin; left > 0;) {
      const std::int64_t count = std::min(width - from, left);
      pack(first + d * p_.self.d + h * p_.self.h + from * p_.self.w, count, to);
      to += count;
      left -= count;
      from = 0;
      if (++h == height) ++d, h = 0;
    }
    fill_lanes(static_cast<const float*>(packed), end - begin, lanes);
  }

  // Windows whose rows fill the lanes evenly need no copy.
  bool fill_whole(const Window& window, const T* first, float* lanes) const {
    const std::int64_t width = window.cells_w.size();
    const std::int64_t height = window.cells_h.size();
    if (p_.self.w != 1 || width < 8 || width > 32 || long_sum::kLanes % width != 0) return false;
    const std::int64_t together = long_sum::kLanes / width;
    if (height % together != 0) return false;
    const Rows all{p_.self.h, height / together, p_.self.d, window.cells_d.size(), ahead(window)};
    if (width == 8) {
      fill_lanes<8>(first, all, lanes);
    } else if (width == 16) {
      fill_lanes<16>(first, all, lanes);
    } else {
      fill_lanes<32>(first, all, lanes);
    }
    return true;
  }

  // From a window to the one below it, or to the first row of windows in the next slice; of windows that are
  // read before memory is there, to the second below. Two threads of an EPYC, least ms with two and with one:
  // g3-32to4 FLOAT16 3.3 and 4.1; where windows of a row have 16 KB, two take a third longer.
  std::int64_t ahead(const Window& window) const {
    constexpr std::int64_t kSoon = 8192 / sizeof(T);
    const std::int64_t down = p_.h.stride * p_.self.h;
    const std::int64_t h = window.at.h + (window.cells_d.size() * down < kSoon ? 2 : 1);
    return h < p_.h.out ? (h - window.at.h) * down
                        : p_.d.stride * p_.self.d + (h - p_.h.out - window.at.h) * down;
  }

  void pack(const T* from, std::int64_t count, float* HWY_RESTRICT to) const {
    std::int64_t i = 0;
    if (p_.self.w == 1) {
      const hn::CappedTag<float, 8> d;
      const auto width = static_cast<std::int64_t>(hn::Lanes(d));
      for (; i + width <= count; i += width) hn::StoreU(load_float(d, from + i), d, to + i);
    }
    for (; i < count; ++i) to[i] = widened(from[i * p_.self.w]);
  }

  const Plan& p_;
};

void pool_long_windows(const Plan& given, Workers& workers) {
  const Plan plan = with_even_windows(given);
  const std::int64_t windows = plan.n * plan.c * plan.d.out * plan.h.out * plan.w.out;
  const std::int64_t taps = most_taps(plan);
  with_float_type(plan.type, [&]<typename T>() HWY_ATTR {
    const LongWindows<T> all(plan);
    if (taps <= kRun) {
      for_each_range(workers, {.count = windows, .elements = taps, .multiple = LongWindows<T>::kTogether},
                     [&](std::int64_t begin, std::int64_t end) HWY_ATTR { all.pool_windows(begin, end); });
      return;
    }
    const auto begin = [&] {
      return [&](std::int64_t window, std::int64_t run, float* sum)
                 HWY_ATTR { *sum = all.run_sum(window, run); };
    };
    pool_runs(workers, runs_of(plan, plan.n * plan.c, 1), begin,
              [&](std::int64_t window, const float* runs) { all.finish(window, runs); });
  });
}

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool::long_windows {

const char* why_not(const Plan& plan) {
  return has_long_sums(plan) ? nullptr : "windows have at most 64 taps";
}

CAIRN_RUN_KERNEL(pool_long_windows)

}  // namespace cairn::mean_pool::long_windows
#endif
