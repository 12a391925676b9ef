#pragma once

#include <vector>

#include "device.h"
#include "measure.h"

namespace cairn::bench {

// The same operator from 1e4 elements to `largest`, one decade a step.
std::vector<Growth> measure_growth(std::int64_t largest, const Effort& effort, Device& device);

// What a call costs when there is next to nothing to compute: a 1×1×2×2×2 tensor.
std::vector<Latency> measure_latency(int calls);

}  // namespace cairn::bench
