#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values {

// Channels that lie side by side: all taps of a window at once.
CAIRN_CPU_METHOD(channels)
// Rows of neighbours along W: over the rows of a window, then along W.
CAIRN_CPU_METHOD(rows)
// The definition, cell by cell: takes every plan.
CAIRN_CPU_METHOD(cells)

CAIRN_CPU_CANDIDATES(channels::kEntry, rows::kEntry, cells::kEntry)

}  // namespace cairn::max_pool_values
