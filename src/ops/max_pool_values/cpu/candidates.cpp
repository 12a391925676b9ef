#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_pool_values/plan.h"

namespace cairn::max_pool_values {

// Channels that lie side by side: all taps of a window at once.
CAIRN_CPU_METHOD(channels)
// Planes put side by side, whose rows are short or do not lie in order.
CAIRN_CPU_METHOD(stacks)
// Neighbours along W in bands of rows: over the rows of a window, then along W. One thread, ms with it and
// row by row: m2-sppf FLOAT 0.46 and 0.78, INT8 0.19 and 0.93 (3 % of the planes).
CAIRN_CPU_METHOD(rows)
// The definition, cell by cell: takes every plan.
CAIRN_CPU_METHOD(cells)

CAIRN_CPU_CANDIDATES(channels::kEntry, stacks::kEntry, rows::kEntry, cells::kEntry)

}  // namespace cairn::max_pool_values
