#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"

namespace cairn {

// Calls body(begin, end) over ranges that cut [0, total) evenly, none but the last shorter than `grain` and
// each boundary a multiple of `multiple`. A few ranges a worker, so that a late one does not hold up the
// rest; little work runs on the calling thread alone.
template <typename Body>
void for_each_range(Workers& workers, std::int64_t total, std::int64_t grain, std::int64_t multiple,
                    const Body& body) {
  constexpr std::int64_t kRangesPerWorker = 8;
  if (total <= 0) return;
  const std::int64_t wanted = std::max<std::int64_t>(workers.count(), 1) * kRangesPerWorker;
  std::int64_t length = std::max(grain, total / wanted + (total % wanted != 0));
  length += (multiple - length % multiple) % multiple;
  const std::int64_t ranges = total / length + (total % length != 0);
  if (ranges == 1 || workers.count() <= 1) {
    body(std::int64_t{0}, total);
    return;
  }
  workers.run(ranges, [&](std::int64_t range) {
    const std::int64_t begin = range * length;
    body(begin, std::min(begin + length, total));
  });
}

}  // namespace cairn
