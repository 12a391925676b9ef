// Channels side by side: a window of a few vectors of channels at a time. Long sums of few taps take them
// lane by lane; of many, the lanes are kept for a block of channels, so that cells are read in the order in
// which they lie.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/window_steps.h"
#include "ops/mean_pool/cpu/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool/cpu/channels.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"
#include "ops/mean_pool/cpu/channel_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cairn::HWY_NAMESPACE;

template <typename T>
class ChannelWindows {
 public:
  explicit ChannelWindows(const Plan& plan)
      : writer_(streams_past_cache(bytes_touched(plan))),
        p_(plan),
        is_large_(streams_past_cache(bytes_touched(plan))) {
    spans_.reserve(static_cast<std::size_t>(plan.w.out));
    each_window(plan.w, [&](std::int64_t /*window*/, const Span& cells) { spans_.push_back(cells); });
  }

  // Row (n, d, h) of the windows, counted over all.
  void pool_row(std::int64_t row) {
    const Row at(p_, row);
    const T* self = static_cast<const T*>(p_.self.data) + at.n * p_.self.n;
    T* values =
        static_cast<T*>(p_.values.data) + at.n * p_.values.n + at.d * p_.values.d + at.h * p_.values.h;
    const RowDivisors<float> divisors(p_, at.d, at.h);
    Box box{p_.d.cells(at.d), p_.h.cells(at.h), {}};
    for (std::int64_t w = 0, windows = 1; w < p_.w.out; w += windows) {
      box.w = spans_[static_cast<std::size_t>(w)];
      windows = pool_alike(self, box, w, divisors, values);
      if (windows != 0) continue;
      windows = 1;
      const float divisor = p_.divisor.by_taps ? static_cast<float>(box.taps()) : divisors.of(w);
      const std::int64_t taps = box.taps();
      if (taps <= long_sum::kLanes) {
        const bool in_order = is_read_in_order(box);
        const std::int64_t ahead = in_order             ? kCellsAhead * p_.self.w
                                   : is_prefetched(box) ? step_from(at, row, w)
                                                        : 0;
        windows = one_line(w, divisors);
        pool_short(self, box, in_order, ahead, divisor, values + w * p_.values.w, windows * p_.c);
      } else {
        if (taps <= kFewTaps)
          pool_by_lanes(self, box, divisor, values + w * p_.values.w);
        else
          pool_long(self, box, divisor, values + w * p_.values.w);
      }
    }
  }

 private:
  struct Row {
    Row(const Plan& p, std::int64_t row)
        : h(row % p.h.out), d(row / p.h.out % p.d.out), n(row / p.h.out / p.d.out) {}
    std::int64_t h, d, n;
  };
  // Windows one behind the other whose cells are, too: their channels are one line. Two threads of an EPYC,
  // least ms with that and without, 16 images of 128x64x128, s1: FLOAT16 1.8 and 2.7, BF16 2.1 and 3.4.
  std::int64_t one_line(std::int64_t w, const RowDivisors<float>& divisors) const {
    if (p_.w.stride != 1 || p_.self.w != p_.c || p_.values.w != p_.c) return 1;
    const auto span = [&](std::int64_t window) { return spans_[static_cast<std::size_t>(window)]; };
    std::int64_t count = 1;
    while (w + count < p_.w.out && span(w + count) == Span{span(w).begin + count, span(w).end + count} &&
           divisors.of(w + count) == divisors.of(w))
      ++count;
    return count;
  }

  // Whether the cells of windows to come are prefetched, as no processor foresees them all. Two threads of an
  // EPYC, least ms with that and without: 8 images of 128x128x256, 3 s2, FLOAT 4.4 and 5.5, FLOAT16 1.6 and
  // 4.1; 16 of 128x64x128, s1, FLOAT 2.7 and 5.3; 64 of 256x56x56 to 7x7, FLOAT16 2.6 and 3.4. Of windows one
  // apart in halves additions take longer than memory does; cells of few or of large windows lie in order.
  bool is_prefetched(const Box& box) const {
    if (sizeof(T) == 4) return box.taps() * p_.c <= kMostPrefetched;
    return box.taps() > 4 && (p_.w.is_adaptive() || 2 * p_.w.stride >= p_.w.kernel);
  }
  // Of one window in a plane, whether cells are added one at a time, all channels of each: more work for the
  // sums, but memory is read in order. Two threads of an EPYC, median ms with that and without, 256 images of
  // 2048x7x7: FLOAT16 1.1 and 1.6, BF16 1.1 and 1.5; FLOAT 2.8 and 2.3. Several windows take up to half as
  // long again with it.
  bool is_read_in_order(const Box& box) const {
    if (sizeof(T) != 2 || !is_large_ || p_.d.out * p_.h.out * p_.w.out != 1) return false;
    return box.taps() > kFewCells && box.taps() * p_.c > kMostPrefetched;
  }
  // From window w of a row to the cells that are prefetched: the next window or, where that is near, another.
  std::int64_t step_from(const Row& at, std::int64_t row, std::int64_t w) const {
    const auto begin = [&](std::int64_t window) { return spans_[static_cast<std::size_t>(window)].begin; };
    std::int64_t step = 0;
    if (w + 1 < p_.w.out) {
      step = (begin(w + 1) - begin(w)) * p_.self.w;
    } else {
      const Row next(p_, row + 1);
      step = (next.n - at.n) * p_.self.n + (p_.d.cells(next.d).begin - p_.d.cells(at.d).begin) * p_.self.d +
             (p_.h.cells(next.h).begin - p_.h.cells(at.h).begin) * p_.self.h +
             (begin(0) - begin(w)) * p_.self.w;
    }
    return step > 0 && step < kAhead ? (kAhead + step - 1) / step * step : step;
  }

  static constexpr std::int64_t kWidth{hn::MaxLanes(hn::ScalableTag<float>())};

  // Windows of 2x2, 2x2x2 or 3x3 cells that are not one apart: from `w` on, all that have as many and lie
  // evenly. Their addresses stay in registers; lists of cells in memory, as other windows have, keep a
  // processor from looking far ahead. Returns how many that were.
  //
  // Two threads of an EPYC, least ms with it and without, 128 channels: 32 images of 128x256, 2 s2,
  // FLOAT 11.4 and 16.2, FLOAT16 6.0 and 6.4, 3 s2 12.7 and 16.7, but FLOAT16 6.8 and 6.4; 64 channels,
  // 128x128x128, 2 s2, FLOAT 10.5 and 16.4. One thread, us, an image of 128x128, 3 s2, 32 channels: FLOAT 33
  // and 97, FLOAT16 33 and 97; 256 channels, FLOAT16, 205 and 256.
  std::int64_t pool_alike(const T* self, const Box& box, std::int64_t w, const RowDivisors<float>& divisors,
                          T* values) {
    constexpr std::int64_t kLine = 64 / sizeof(T);
    const std::int64_t kernel = p_.w.kernel;
    if (kernel < 2 || kernel > 3 || p_.w.stride < 2) return 0;
    const std::int64_t slices = box.d.size();
    if (slices < 1 || slices > (kernel == 2 ? 2 : 1)) return 0;
    if (p_.c % std::max(kLine, kWidth) != 0 || box.h.size() != kernel) return 0;
    std::int64_t windows = 0;
    while (w + windows < p_.w.out && spans_[static_cast<std::size_t>(w + windows)].size() == kernel &&
           divisors.of(w + windows) == divisors.of(w))
      ++windows;
    const float divisor = p_.divisor.by_taps ? static_cast<float>(box.taps()) : divisors.of(w);
    const T* from = self + box.d.begin * p_.self.d + box.h.begin * p_.self.h + box.w.begin * p_.self.w;
    T* to = values + w * p_.values.w;
    const bool streams = p_.values.w % kLine == 0 && writer_.takes_lines(to, p_.c);
    const auto pool = [&]<int kD, int kHW>() HWY_ATTR {
      if (streams)
        pool_run<Streamed, kD, kHW>(from, windows, divisor, to);
      else
        pool_run<Stored, kD, kHW>(from, windows, divisor, to);
      return windows;
    };
    if (kernel == 3) return pool.template operator()<1, 3>();
    return slices == 2 ? pool.template operator()<2, 2>() : pool.template operator()<1, 2>();
  }
  template <class Put, int kD, int kHW>
  HWY_NOINLINE void pool_run(const T* from, std::int64_t windows, float divisor, T* to) const {
    const hn::ScalableTag<float> d;
    const auto by = hn::Set(d, divisor);
    const std::int64_t of_d = p_.self.d, of_h = p_.self.h, of_w = p_.self.w;
    const std::int64_t step = p_.w.stride * of_w;
    const std::int64_t channels = p_.c;
    const auto pool = [&]<int kVectors>(std::int64_t c) HWY_ATTR {
      hn::Vec<decltype(d)> sums[kVectors];
      for (auto& sum : sums) sum = hn::Zero(d);
      for (int i = 0; i < kD; ++i)
        for (int j = 0; j < kHW; ++j)
          for (int k = 0; k < kHW; ++k)
            for (int v = 0; v < kVectors; ++v)
              sums[v] = OneEach::add(d, sums[v], from + i * of_d + j * of_h + k * of_w + c + v * kWidth);
      for (int v = 0; v < kVectors; ++v) Put::put(d, hn::Div(sums[v], by), to + c + v * kWidth);
    };
    constexpr int kAtOnce = kD * kHW * kHW > 4 ? 2 : 1;  // sums, where one waits for its additions
    for (; windows > 0; --windows, from += step, to += p_.values.w) {
      std::int64_t c = 0;
      for (; c + kAtOnce * kWidth <= channels; c += kAtOnce * kWidth) pool.template operator()<kAtOnce>(c);
      for (; c < channels; c += kWidth) pool.template operator()<1>(c);
    }
  }

  // Calls body(cell) for the cells of a window, in order.
  template <typename Body>
  HWY_INLINE void each_cell(const T* self, const Box& box, const Body& body) const {
    for (std::int64_t i = box.d.begin; i < box.d.end; ++i)
      for (std::int64_t j = box.h.begin; j < box.h.end; ++j)
        for (std::int64_t k = box.w.begin; k < box.w.end; ++k)
          body(self + i * p_.self.d + j * p_.self.h + k * p_.self.w);
  }

  // At most 64 taps. A few cells at a time, of which many channels lie in order; where the window has more,
  // the sums wait in between.
  void pool_short(const T* self, const Box& box, bool in_order, std::int64_t ahead, float divisor, T* to,
                  std::int64_t channels) {
    const T* cells[long_sum::kLanes];
    std::int64_t count = 0;
    each_cell(self, box, [&](const T* cell) { cells[count++] = cell; });
    const std::int64_t together = in_order ? 1 : count <= kFewCells ? count : kTogether;
    const std::int64_t block = in_order ? kLongBlock : kBlock;
    for (std::int64_t first = 0; first < channels; first += block) {
      const std::int64_t end = std::min(first + block, channels);
      const bool streams = end % kWidth == 0 && writer_.takes_lines(to + first, end - first);
      T* room = streams ? to : writer_.room(to + first, end - first) - first;
      for (std::int64_t tap = 0; tap < count; tap += together) {
        const Part part{cells + tap, std::min(together, count - tap), ahead, tap == 0,
                        tap + together >= count};
        const std::int64_t done = streams ? add_part<Streamed>(part, {first, end}, divisor, room)
                                          : add_part<Stored>(part, {first, end}, divisor, room);
        if (part.is_last && done < end)
          finish_channels(hn::ScalableTag<float>(), cells, count, {done, end}, divisor, room);
      }
    }
  }

  struct Part {
    const T* const* cells;
    std::int64_t count;
    std::int64_t ahead;  // to those of the next window
    bool is_first, is_last;
  };

  // Returns how far vectors go.
  template <class Put>
  HWY_INLINE std::int64_t add_part(const Part& part, const Span& channels, float divisor, T* to) {
    return part.ahead != 0 ? add_part_of<Put, true>(part, channels, divisor, to)
                           : add_part_of<Put, false>(part, channels, divisor, to);
  }
  template <class Put, bool kPrefetches>
  HWY_INLINE std::int64_t add_part_of(const Part& part, const Span& channels, float divisor, T* to) {
    std::int64_t c = channels.begin;
    for (; c + 4 * kWidth <= channels.end; c += 4 * kWidth)
      add_vectors<4, Put, kPrefetches>(part, c, channels.begin, divisor, to);
    for (; c + kWidth <= channels.end; c += kWidth)
      add_vectors<1, Put, kPrefetches>(part, c, channels.begin, divisor, to);
    return c;
  }

  template <int kVectors, class Put, bool kPrefetches>
  HWY_INLINE void add_vectors(const Part& part, std::int64_t c, std::int64_t first, float divisor, T* to) {
    const hn::ScalableTag<float> d;
    hn::Vec<decltype(d)> sums[kVectors];
    float* kept = sums_ + (c - first);
    for (int v = 0; v < kVectors; ++v)
      sums[v] = part.is_first ? hn::Zero(d) : hn::LoadU(d, kept + v * kWidth);
    constexpr std::int64_t kLine = 64 / sizeof(T);
    for (std::int64_t i = 0; i < part.count; ++i) {
      const T* cells = part.cells[i] + c;
      if constexpr (kPrefetches)
        for (std::int64_t at = 0; at < kVectors * kWidth; at += kLine) hwy::Prefetch(cells + part.ahead + at);
      for (int v = 0; v < kVectors; ++v) sums[v] = OneEach::add(d, sums[v], cells + v * kWidth);
    }
    const auto by = hn::Set(d, divisor);
    for (int v = 0; v < kVectors; ++v) {
      if (part.is_last)
        Put::put(d, hn::Div(sums[v], by), to + c + v * kWidth);
      else
        hn::StoreU(sums[v], d, kept + v * kWidth);
    }
  }

  // The last few, which are less than a vector.
  template <class D>
  HWY_INLINE void finish_channels(D d, const T* const* cells, std::int64_t count, const Span& channels,
                                  float divisor, T* to) const {
    const auto width = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t c = channels.begin;
    for (; c + width <= channels.end; c += width) {
      auto sum = hn::Zero(d);
      for (std::int64_t i = 0; i < count; ++i) sum = OneEach::add(d, sum, cells[i] + c);
      store_sums(d, hn::Div(sum, hn::Set(d, divisor)), to + c);
    }
    if constexpr (hn::MaxLanes(D()) > 1) {
      if (c < channels.end) finish_channels(hn::Half<D>(), cells, count, {c, channels.end}, divisor, to);
    }
  }

  // More than 64 taps, but few enough to stay in the cache: the lanes of the sum one after the other. A lane
  // may begin with its first tap, which the definition adds to +0.0: the sign of a zero is lost anyway.
  void pool_by_lanes(const T* self, const Box& box, float divisor, T* to) {
    taps_.clear();
    each_cell(self, box, [&](const T* cell) { taps_.push_back(cell); });
    const hn::ScalableTag<float> d;
    std::int64_t c = 0;
    for (; c + 4 * kWidth <= p_.c; c += 4 * kWidth) add_lanes<4>(d, c, divisor, to);
    add_last_lanes(d, c, divisor, to);
  }
  template <class D>
  HWY_INLINE void add_last_lanes(D d, std::int64_t c, float divisor, T* to) const {
    const auto width = static_cast<std::int64_t>(hn::Lanes(d));
    for (; c + width <= p_.c; c += width) add_lanes<1>(d, c, divisor, to);
    if constexpr (hn::MaxLanes(D()) > 1) {
      if (c < p_.c) add_last_lanes(hn::Half<D>(), c, divisor, to);
    }
  }
  template <int kVectors, class D>
  HWY_INLINE void add_lanes(D d, std::int64_t c, float divisor, T* to) const {
    const auto width = static_cast<std::int64_t>(hn::Lanes(d));
    const T* const* cells = taps_.data();
    const auto count = static_cast<std::int64_t>(taps_.size());
    hn::Vec<D> sums[kVectors], lane[kVectors];
    for (auto& sum : sums) sum = hn::Zero(d);
    for (std::int64_t first = 0; first < long_sum::kLanes; ++first) {
      for (int v = 0; v < kVectors; ++v) lane[v] = load_float(d, cells[first] + c + v * width);
      for (std::int64_t i = first + long_sum::kLanes; i < count; i += long_sum::kLanes)
        for (int v = 0; v < kVectors; ++v) lane[v] = OneEach::add(d, lane[v], cells[i] + c + v * width);
      for (int v = 0; v < kVectors; ++v) sums[v] = hn::Add(sums[v], lane[v]);
    }
    for (int v = 0; v < kVectors; ++v)
      store_sums(d, hn::Div(sums[v], hn::Set(d, divisor)), to + c + v * width);
  }

  void pool_long(const T* self, const Box& box, float divisor, T* to) {
    const hn::ScalableTag<float> d;
    for (std::int64_t first = 0; first < p_.c; first += ChannelLanes<T>::kMost) {
      const std::int64_t count = std::min(ChannelLanes<T>::kMost, p_.c - first);
      const float* sums = lanes_.sum(p_.self, self + first, box, {0, box.taps()}, count);
      std::transform(sums, sums + count, sums_, [&](float sum) { return sum / divisor; });
      round_sums(d, static_cast<const float*>(sums_), count, to + first);
    }
  }

  static constexpr std::int64_t kFewTaps = 512;
  static constexpr std::int64_t kAhead = 4096 / sizeof(T);
  static constexpr std::int64_t kMostPrefetched = 32768 / sizeof(T);
  static constexpr std::int64_t kBlock = 1024;  // channels
  static constexpr std::int64_t kLongBlock = 2048;
  static constexpr std::int64_t kFewCells = 16;
  static constexpr std::int64_t kTogether = 8;  // cells
  static constexpr std::int64_t kCellsAhead = 4;

  alignas(64) float sums_[kLongBlock];
  StreamWriter writer_;
  const Plan& p_;
  std::vector<Span> spans_;  // along W
  std::vector<const T*> taps_;
  ChannelLanes<T> lanes_;
  const bool is_large_;
};

void pool_channels(const Plan& given, Workers& workers) {
  const Plan plan = with_even_windows(given);
  const Units rows{.count = plan.n * plan.d.out * plan.h.out,
                   .elements = most_taps(plan) * plan.w.out * plan.c};
  with_float_type(plan.type, [&]<typename T>() HWY_ATTR {
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      ChannelWindows<T> windows(plan);
      for (std::int64_t row = begin; row < end; ++row) windows.pool_row(row);
    });
  });
}

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool::channels {

const char* why_not(const Plan& plan) {
  if (plan.c < 4 || plan.self.c != 1 || plan.values.c != 1) return "channels are not neighbours in memory";
  return most_taps(plan) <= long_sum::kRun ? nullptr : "windows have more than 4096 taps";
}

CAIRN_RUN_KERNEL(pool_channels)

}  // namespace cairn::mean_pool::channels
#endif
