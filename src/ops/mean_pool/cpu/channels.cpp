// Channels side by side: a window of a few vectors of channels at a time. The lanes of long sums are kept for
// a block of channels, so that cells are read in the order in which they lie.

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
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
  explicit ChannelWindows(const Plan& plan) : p_(plan) {}

  // Row (n, d, h) of the windows, counted over all.
  void pool_row(std::int64_t row) const {
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

  void pool_short(const T* self, const Box& box, float divisor, T* to) const {
    std::int64_t c = 0;
    for (; c + 4 * kWidth <= p_.c; c += 4 * kWidth) pool_vectors<4>(self, box, divisor, c, to);
    for (; c + kWidth <= p_.c; c += kWidth) pool_vectors<1>(self, box, divisor, c, to);
    if (c == p_.c) return;
    if (p_.c >= kWidth) return pool_vectors<1>(self, box, divisor, p_.c - kWidth, to);
    for (; c < p_.c; ++c) {
      float sum = 0;
      each_cell(self, box, [&](const T* cell) { sum += widened(cell[c]); });
      to[c] = rounded<T>(sum / divisor);
    }
  }

  template <int kVectors>
  HWY_INLINE void pool_vectors(const T* self, const Box& box, float divisor, std::int64_t c, T* to) const {
    const hn::ScalableTag<float> d;
    hn::Vec<decltype(d)> sums[kVectors];
    for (auto& sum : sums) sum = hn::Zero(d);
    for (std::int64_t i = box.d.begin; i < box.d.end; ++i)
      for (std::int64_t j = box.h.begin; j < box.h.end; ++j)
        for (std::int64_t k = box.w.begin; k < box.w.end; ++k) {
          const T* cell = self + i * p_.self.d + j * p_.self.h + k * p_.self.w + c;
          for (int v = 0; v < kVectors; ++v) sums[v] = OneEach::add(d, sums[v], cell + v * kWidth);
        }
    const auto by = hn::Set(d, divisor);
    for (int v = 0; v < kVectors; ++v) store_sums(d, hn::Div(sums[v], by), to + c + v * kWidth);
  }

  void pool_long(const T* self, const Box& box, float divisor, T* to) const {
    constexpr std::int64_t kBlock = 64;
    alignas(64) float lanes[long_sum::kLanes][kBlock];
    alignas(64) float sums[kBlock];
    const hn::ScalableTag<float> d;
    for (std::int64_t first = 0; first < p_.c; first += kBlock) {
      const std::int64_t count = std::min(kBlock, p_.c - first);
      std::fill_n(lanes[0], long_sum::kLanes * kBlock, 0.0F);
      std::int64_t lane = 0;
      each_cell(self, box, [&](const T* cell) HWY_ATTR {
        add_to_sums<OneEach>(d, lanes[lane], cell + first, count);
        lane = (lane + 1) % long_sum::kLanes;
      });
      std::fill_n(sums, kBlock, 0.0F);
      for (const auto& each : lanes) add_to_sums<OneEach>(d, sums, static_cast<const float*>(each), count);
      for (std::int64_t c = 0; c < count; ++c) sums[c] /= divisor;
      round_sums(d, sums, count, to + first);
    }
  }

  const Plan& p_;
};

void pool_channels(const Plan& plan, Workers& workers) {
  const Units rows{.count = plan.n * plan.d.out * plan.h.out,
                   .elements = most_taps(plan) * plan.w.out * plan.c};
  with_float_type(plan.type, [&]<typename T>() HWY_ATTR {
    const ChannelWindows<T> windows(plan);
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
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
