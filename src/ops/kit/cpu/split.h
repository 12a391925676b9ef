#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "backend/kernel.h"

namespace cairn {

// Work in equal units, which may be cut anywhere between two of them.
struct Units {
  std::int64_t count;
  std::int64_t elements;      // that one of them reads or writes: what it costs at the least
  std::int64_t multiple = 1;  // of units that stay together
};

namespace split {

// One element takes one thread at least so long, whatever is done with it.
constexpr double kNanosecondsPerElement = 0.2;
// A range is long enough that what it costs to begin it does not show.
constexpr std::int64_t kRangeElements = 16384;
constexpr std::int64_t kRangeNanoseconds = 4000;
// The first few are timed on the calling thread. Little work ends with them.
constexpr std::int64_t kTimedElements = 4096;

inline std::int64_t now() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

inline std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return value + (multiple - value % multiple) % multiple;
}

// Calls body(begin, end) over ranges that cut [first, units.count) evenly, none but the last shorter than
// `shortest`. A few ranges a lane, so that a late one does not hold up the rest.
template <typename Body>
void on_lanes(Workers& workers, int lanes, const Units& units, std::int64_t first, std::int64_t shortest,
              const Body& body) {
  constexpr std::int64_t kRangesPerLane = 8;
  const std::int64_t total = units.count - first;
  const std::int64_t wanted = lanes * kRangesPerLane;
  const std::int64_t length =
      round_up(std::max(shortest, total / wanted + (total % wanted != 0)), units.multiple);
  const std::int64_t ranges = total / length + (total % length != 0);
  if (ranges <= 1 || lanes <= 1) {
    if (total > 0) body(first, units.count);
    return;
  }
  workers.run(ranges, lanes, [&](std::int64_t range) {
    const std::int64_t begin = first + range * length;
    body(begin, std::min(begin + length, units.count));
  });
}

}  // namespace split

// How many threads so many elements can be worth, whatever most kernels do with them: whoever cuts units for
// its workers cuts no more.
inline int most_worth(const Workers& workers, std::int64_t elements) {
  constexpr std::int64_t kNanosecondsPerElement = 1;
  return workers.worth(elements * kNanosecondsPerElement);
}

// Calls body(begin, end) over ranges that together are all units, on as many threads as are worth calling.
// What the work takes is not known beforehand but for the least that it can. Where that is not enough for all
// threads, the first units are timed and the rest is expected to go on like them.
template <typename Body>
void for_each_range(Workers& workers, Units units, const Body& body) {
  using namespace split;
  if (units.count <= 0) return;
  units.elements = std::max<std::int64_t>(units.elements, 1);
  const auto units_of = [&](std::int64_t elements) {
    return std::max<std::int64_t>(elements / units.elements, 1);
  };
  const auto least =
      static_cast<double>(units.count) * static_cast<double>(units.elements) * kNanosecondsPerElement;
  const auto most = [](double nanoseconds) { return static_cast<std::int64_t>(std::min(nanoseconds, 1e15)); };
  if (workers.count() <= 1 || workers.worth(most(least)) == workers.count()) {
    on_lanes(workers, workers.count(), units, 0, units_of(kRangeElements), body);
    return;
  }
  const std::int64_t timed = std::min(round_up(units_of(kTimedElements), units.multiple), units.count);
  const std::int64_t begin = now();
  body(std::int64_t{0}, timed);
  const auto each = static_cast<double>(now() - begin) / static_cast<double>(timed);
  const std::int64_t rest = units.count - timed;
  const auto shortest =
      static_cast<std::int64_t>(static_cast<double>(kRangeNanoseconds) / std::max(each, 1.0));
  on_lanes(workers, workers.worth(most(each * static_cast<double>(rest))), units, timed,
           std::clamp<std::int64_t>(shortest, 1, units.count), body);
}

}  // namespace cairn
