#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/kit/cpu/split.h"
#include "ops/mean_pool/cpu/windows.h"

namespace cairn::mean_pool {

// Sums of a run of a window are made by any thread, and those of its runs added up in the end.
struct WindowRuns {
  std::int64_t windows;   // counted over all planes or, of channels side by side, over all images
  std::int64_t channels;  // whose sums are made together
  std::int64_t runs;      // of a window, at most
};

constexpr WindowRuns runs_of(const Plan& p, std::int64_t images, std::int64_t channels) {
  return {images * p.d.out * p.h.out * p.w.out, channels,
          (most_taps(p) + long_sum::kRun - 1) / long_sum::kRun};
}

// Calls sum(window, run, sums) for every run, and then finish(window, sums) with those of all its runs. What
// begin() returns is such a `sum`, which one thread calls.
template <typename Begin, typename Finish>
void pool_runs(Workers& workers, const WindowRuns& all, const Begin& begin, const Finish& finish) {
  if (all.windows <= 0) return;
  // A few windows at a time, as all together may have more sums than the tensor has cells.
  constexpr std::int64_t kMostSums = std::int64_t{1} << 20;
  const std::int64_t each = all.runs * all.channels;
  const std::int64_t together = std::clamp<std::int64_t>(kMostSums / each, 1, all.windows);
  std::vector<float> sums(static_cast<std::size_t>(together * each));
  for (std::int64_t first = 0; first < all.windows; first += together) {
    const std::int64_t count = std::min(together, all.windows - first);
    for_each_range(workers, {.count = count * all.runs, .elements = long_sum::kRun * all.channels},
                   [&](std::int64_t from, std::int64_t to) {
                     auto sum = begin();
                     for (std::int64_t i = from; i < to; ++i)
                       sum(first + i / all.runs, i % all.runs, sums.data() + i * all.channels);
                   });
    for_each_range(workers, {.count = count, .elements = each}, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i < to; ++i) finish(first + i, sums.data() + i * each);
    });
  }
}

}  // namespace cairn::mean_pool
