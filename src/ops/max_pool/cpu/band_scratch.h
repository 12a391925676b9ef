#pragma once

#include <cstdint>

#include "ops/kit/cpu/aligned.h"

namespace cairn::max_pool {

// A thread's memory for bands; it outlives the call.
struct BandScratch {
  Aligned<std::int32_t> laid_out;  // rows of self
  Aligned<std::int32_t> last_row;  // behind which self ends
  Aligned<std::int32_t> band;      // rows of windows, along W
  Aligned<std::int32_t> kept;      // by slot: rows of windows, along W and H
};

}  // namespace cairn::max_pool
