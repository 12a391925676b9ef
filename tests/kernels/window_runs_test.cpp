// Windows of many runs, of which a few at a time have their sums in memory.

#include "ops/mean_pool/cpu/window_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace {

using cairn::mean_pool::WindowRuns;

class OneThread : public cairn::Workers {
 public:
  int count() const override { return 1; }
  int worth(std::int64_t /*nanoseconds*/) const override { return 1; }
  void run(std::int64_t tasks, int /*lanes*/, cairn::FunctionRef<void(std::int64_t)> body) override {
    for (std::int64_t task = 0; task < tasks; ++task) body(task);
  }
};

// A sum says whose it is: every window must get those of its own runs, in order.
void check(const WindowRuns& all) {
  SCOPED_TRACE(testing::Message() << all.windows << " windows of " << all.runs << " runs, " << all.channels
                                  << " channels");
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  OneThread workers;
  std::vector<int> finished(static_cast<std::size_t>(all.windows));
  const float* lowest = nullptr;
  const float* highest = nullptr;
  const auto name = [&](std::int64_t window, std::int64_t run) {
    return static_cast<float>((window * all.runs + run) % 8191);
  };
  const auto begin = [&] {
    return [&](std::int64_t window, std::int64_t run, float* sums) {
      if (lowest == nullptr || sums < lowest) lowest = sums;
      highest = std::max<const float*>(highest, sums + all.channels);
      std::fill_n(sums, all.channels, name(window, run));
    };
  };
  cairn::mean_pool::pool_runs(workers, all, begin, [&](std::int64_t window, const float* sums) {
    ++finished[static_cast<std::size_t>(window)];
    for (std::int64_t run = 0; run < all.runs; ++run)
      for (std::int64_t c = 0; c < all.channels; ++c)
        ASSERT_EQ(sums[run * all.channels + c], name(window, run)) << window << " " << run << " " << c;
  });
  EXPECT_TRUE(std::all_of(finished.begin(), finished.end(), [](int times) { return times == 1; }));
  EXPECT_LE(highest - lowest, std::max(kMost, all.runs * all.channels));
}

TEST(WindowRuns, KeepTheSumsOfAFewWindows) {
  check({.windows = 5, .channels = 1, .runs = 2});
  check({.windows = 5, .channels = 1, .runs = 300000});  // three windows, then two
  check({.windows = 3, .channels = 700, .runs = 1000});
  check({.windows = 2, .channels = 3, .runs = 400000});  // more than are kept, of one window
}

TEST(WindowRuns, MayBeNone) { check({.windows = 0, .channels = 1, .runs = 2}); }

}  // namespace
