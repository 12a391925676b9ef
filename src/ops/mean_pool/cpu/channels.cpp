// Channels side by side: a window of a few vectors of channels at a time. The lanes of long sums are kept for
// a block of channels, so that cells are read in the order in which they lie.

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool/cpu/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool/cpu/channels.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cairn::HWY_NAMESPACE;

template <typename T>
class ChannelWindows {
 public:
  explicit ChannelWindows(const Plan& plan) : p_(plan), writer_(streams_past_cache(bytes_touched(plan))) {}

  // Row (n, d, h) of the windows, counted over all.
  void pool_row(std::int64_t row) {
    const std::int64_t h = row % p_.h.out;
    const std::int64_t d = row / p_.h.out % p_.d.out;
    const std::int64_t n = row / p_.h.out / p_.d.out;
    const T* self = static_cast<const T*>(p_.self.data) + n * p_.self.n;
    T* values = static_cast<T*>(p_.values.data) + n * p_.values.n + d * p_.values.d + h * p_.values.h;
    const RowDivisors<float> divisors(p_, d, h);
    Box box{p_.d.cells(d), p_.h.cells(h), {}};
    for (std::int64_t w = 0; w < p_.w.out; ++w) {
      box.w = p_.w.cells(w);
      if (box.d.size() * box.h.size() * box.w.size() <= long_sum::kLanes) {
        pool_short(self, box, divisors.of(w), values + w * p_.values.w);
      } else {
        pool_long(self, box, divisors.of(w), values + w * p_.values.w);
      }
    }
  }

 private:
  struct Box {
    Span d, h, w;
  };
  static constexpr std::int64_t kWidth{hn::MaxLanes(hn::ScalableTag<float>())};

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
  void pool_short(const T* self, const Box& box, float divisor, T* to) {
    const T* cells[long_sum::kLanes];
    std::int64_t count = 0;
    each_cell(self, box, [&](const T* cell) { cells[count++] = cell; });
    const std::int64_t together = count <= 2 * kTogether ? count : kTogether;
    for (std::int64_t first = 0; first < p_.c; first += kBlock) {
      const std::int64_t end = std::min(first + kBlock, p_.c);
      const bool streams = end % kWidth == 0 && writer_.takes_lines(to + first, end - first);
      T* room = streams ? to : writer_.room(to + first, end - first) - first;
      for (std::int64_t tap = 0; tap < count; tap += together) {
        const Part part{cells + tap, std::min(together, count - tap), tap == 0, tap + together >= count};
        const std::int64_t done = streams ? add_part<Streamed>(part, {first, end}, divisor, room)
                                          : add_part<Stored>(part, {first, end}, divisor, room);
        if (part.is_last && done < end) finish_channels(cells, count, {done, end}, divisor, room);
      }
    }
  }

  struct Part {
    const T* const* cells;
    std::int64_t count;
    bool is_first, is_last;
  };

  // Returns how far vectors go.
  template <class Put>
  HWY_INLINE std::int64_t add_part(const Part& part, const Span& channels, float divisor, T* to) {
    std::int64_t c = channels.begin;
    for (; c + 4 * kWidth <= channels.end; c += 4 * kWidth)
      add_vectors<4, Put>(part, c, channels.begin, divisor, to);
    for (; c + kWidth <= channels.end; c += kWidth) add_vectors<1, Put>(part, c, channels.begin, divisor, to);
    return c;
  }

  template <int kVectors, class Put>
  HWY_INLINE void add_vectors(const Part& part, std::int64_t c, std::int64_t first, float divisor, T* to) {
    const hn::ScalableTag<float> d;
    hn::Vec<decltype(d)> sums[kVectors];
    float* kept = sums_ + (c - first);
    for (int v = 0; v < kVectors; ++v)
      sums[v] = part.is_first ? hn::Zero(d) : hn::LoadU(d, kept + v * kWidth);
    for (std::int64_t i = 0; i < part.count; ++i)
      for (int v = 0; v < kVectors; ++v) sums[v] = OneEach::add(d, sums[v], part.cells[i] + c + v * kWidth);
    const auto by = hn::Set(d, divisor);
    for (int v = 0; v < kVectors; ++v) {
      if (part.is_last)
        Put::put(d, hn::Div(sums[v], by), to + c + v * kWidth);
      else
        hn::StoreU(sums[v], d, kept + v * kWidth);
    }
  }

  // The last few, which are less than a vector.
  void finish_channels(const T* const* cells, std::int64_t count, const Span& channels, float divisor,
                       T* to) const {
    for (std::int64_t c = channels.begin; c < channels.end; ++c) {
      float sum = 0;
      for (std::int64_t i = 0; i < count; ++i) sum += widened(cells[i][c]);
      to[c] = rounded<T>(sum / divisor);
    }
  }

  void pool_long(const T* self, const Box& box, float divisor, T* to) const {
    constexpr std::int64_t kFew = 64;
    alignas(64) float lanes[long_sum::kLanes][kFew];
    alignas(64) float sums[kFew];
    const hn::ScalableTag<float> d;
    for (std::int64_t first = 0; first < p_.c; first += kFew) {
      const std::int64_t count = std::min(kFew, p_.c - first);
      std::fill_n(lanes[0], long_sum::kLanes * kFew, 0.0F);
      std::int64_t lane = 0;
      each_cell(self, box, [&](const T* cell) HWY_ATTR {
        add_to_sums<OneEach>(d, lanes[lane], cell + first, count);
        lane = (lane + 1) % long_sum::kLanes;
      });
      std::fill_n(sums, kFew, 0.0F);
      for (const auto& each : lanes) add_to_sums<OneEach>(d, sums, static_cast<const float*>(each), count);
      for (std::int64_t c = 0; c < count; ++c) sums[c] /= divisor;
      round_sums(d, sums, count, to + first);
    }
  }

  static constexpr std::int64_t kBlock = 1024;  // channels
  static constexpr std::int64_t kTogether = 8;  // cells

  const Plan& p_;
  StreamWriter writer_;
  alignas(64) float sums_[kBlock];
};

void pool_channels(const Plan& plan, Workers& workers) {
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
