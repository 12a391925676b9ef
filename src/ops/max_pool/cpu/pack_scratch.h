#pragma once

#include <cstdint>

#include "ops/kit/cpu/aligned.h"

namespace cairn::max_pool {

// A thread's memory for small planes; it outlives the call. A pack is as many planes as a vector has lanes.
struct PackScratch {
  Aligned<float> planes;           // a pack as it lies in memory, as floats
  Aligned<float> cells;            // by cell: that of each plane
  Aligned<float> values;           // by window: that of each plane
  Aligned<std::int32_t> places;    // likewise
  Aligned<std::int32_t> in_order;  // where values and places of a pack lie there, plane after plane
};

}  // namespace cairn::max_pool
