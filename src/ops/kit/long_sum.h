#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cairn {

// How the sum of many terms is defined: up to 4096 of them go to 64 lanes in turn, which are added in order
// in the end; of more, runs of 4096 are summed like this, and then their sums. Everything begins with +0.0.
// So up to 64 terms are added one after the other.
namespace long_sum {

constexpr std::int64_t kLanes = 64;
constexpr std::int64_t kRun = kLanes * kLanes;

// The lanes of a run, one after the other.
template <typename Sum>
constexpr Sum fold(const Sum* lanes) {
  Sum sum = 0;
  for (std::int64_t lane = 0; lane < kLanes; ++lane) sum += lanes[lane];
  return sum;
}

}  // namespace long_sum

// Terms one after the other, any number of them.
template <typename Sum>
class LongSum {
 public:
  constexpr void add(Sum term) { add_to(0, term); }

  // Once. The sum of a single term is that term, so levels without need do no harm.
  constexpr Sum result() {
    for (std::size_t level = 0; level + 1 < levels_.size(); ++level)
      if (levels_[level].count > 0) add_to(level + 1, long_sum::fold(levels_[level].lanes.data()));
    return long_sum::fold(levels_.back().lanes.data());
  }

 private:
  struct Level {
    std::array<Sum, long_sum::kLanes> lanes{};
    std::int64_t count = 0;
  };

  constexpr void add_to(std::size_t at, Sum term) {
    Level& level = levels_[at];
    level.lanes[static_cast<std::size_t>(level.count % long_sum::kLanes)] += term;
    if (++level.count < long_sum::kRun) return;
    const Sum sum = long_sum::fold(level.lanes.data());
    level = {};
    add_to(at + 1, sum);
  }

  std::array<Level, 6> levels_{};  // 4096 to the fifth is more than any tensor has
};

}  // namespace cairn
