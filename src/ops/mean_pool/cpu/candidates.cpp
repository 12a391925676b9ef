#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/mean_pool/plan.h"

namespace cairn::mean_pool {

// Channels that lie side by side.
CAIRN_CPU_METHOD(channels)
// Windows one or two apart along W: neighbours in a vector.
CAIRN_CPU_METHOD(rows)
// Planes put side by side, where windows overlap.
CAIRN_CPU_METHOD(stacks)
// Windows whose rows lie in order: a few at a time, each a lane of a vector.
CAIRN_CPU_METHOD(boxes)
// More than 64 taps: the lanes of the sum side by side.
CAIRN_CPU_METHOD(long_windows)
// The definition, window by window: takes every plan.
CAIRN_CPU_METHOD(cells)

CAIRN_CPU_CANDIDATES(channels::kEntry, rows::kEntry, stacks::kEntry, boxes::kEntry, long_windows::kEntry,
                     cells::kEntry)

}  // namespace cairn::mean_pool
