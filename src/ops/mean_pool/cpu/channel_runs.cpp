// Channels side by side, windows of more than 4096 taps: their runs are shared by threads, and added up in
// the end.

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool/cpu/window_runs.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool/cpu/channel_runs.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/mean_pool/cpu/channel_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

using long_sum::kRun;

// Windows of all channels, counted over all images.
struct ChannelWindow {
  ChannelWindow(const Plan& p, std::int64_t number)
      : w(number % p.w.out),
        h(number / p.w.out % p.h.out),
        d(number / p.w.out / p.h.out % p.d.out),
        n(number / p.w.out / p.h.out / p.d.out),
        box{p.d.cells(d), p.h.cells(h), p.w.cells(w)} {}

  std::int64_t w, h, d, n;
  Box box;
};

// Sums of runs, of every channel, made by one thread.
template <typename T>
class RunSums {
 public:
  explicit RunSums(const Plan& plan) : p_(plan) {}

  void operator()(std::int64_t number, std::int64_t run, float* to) {
    const ChannelWindow window(p_, number);
    const std::int64_t first = run * kRun;
    const std::int64_t last = std::min(first + kRun, window.box.taps());
    if (first >= last) return;
    const T* image = static_cast<const T*>(p_.self.data) + window.n * p_.self.n;
    for (std::int64_t c = 0; c < p_.c; c += ChannelLanes<T>::kMost) {
      const std::int64_t count = std::min(ChannelLanes<T>::kMost, p_.c - c);
      std::copy_n(lanes_.sum(p_.self, image + c, window.box, {first, last}, count), count, to + c);
    }
  }

 private:
  const Plan& p_;
  ChannelLanes<T> lanes_;
};

// Of up to 64 runs the sum of all is that of one after the other: into the first.
void add_runs(float* sums, std::int64_t runs, std::int64_t channels) {
  if (runs <= long_sum::kLanes) {
    for (std::int64_t run = 1; run < runs; ++run)
      for (std::int64_t c = 0; c < channels; ++c) sums[c] += sums[run * channels + c];
    return;
  }
  for (std::int64_t c = 0; c < channels; ++c) {
    LongSum<float> all;
    for (std::int64_t run = 0; run < runs; ++run) all.add(sums[run * channels + c]);
    sums[c] = all.result();
  }
}

template <typename T>
void finish_window(const Plan& p, const ChannelWindow& window, float* sums) {
  T* to = static_cast<T*>(p.values.data) + window.n * p.values.n + window.d * p.values.d +
          window.h * p.values.h + window.w * p.values.w;
  const float by = RowDivisors<float>(p, window.d, window.h).of(window.w);
  add_runs(sums, (window.box.taps() + kRun - 1) / kRun, p.c);
  for (std::int64_t c = 0; c < p.c; ++c) to[c] = rounded<T>(sums[c] / by);
}

void pool_channel_runs(const Plan& plan, Workers& workers) {
  with_float_type(plan.type, [&]<typename T>() {
    const auto begin = [&] { return RunSums<T>(plan); };
    pool_runs(workers, runs_of(plan, plan.n, plan.c), begin, [&](std::int64_t number, float* sums) HWY_ATTR {
      finish_window<T>(plan, {plan, number}, sums);
    });
  });
}

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool::channel_runs {

const char* why_not(const Plan& plan) {
  if (plan.c < 4 || plan.self.c != 1 || plan.values.c != 1) return "channels are not neighbours in memory";
  return most_taps(plan) > long_sum::kRun ? nullptr : "windows have at most 4096 taps";
}

CAIRN_RUN_KERNEL(pool_channel_runs)

}  // namespace cairn::mean_pool::channel_runs
#endif
