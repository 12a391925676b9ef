#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/mean_pool_backward/plan.h"

namespace cairn::mean_pool_backward {

// Channels that lie side by side.
CAIRN_CPU_METHOD(channels)
// One window a plane, which has all of it.
CAIRN_CPU_METHOD(fills)
// Cells of a row side by side.
CAIRN_CPU_METHOD(rows)
// Planes put side by side.
CAIRN_CPU_METHOD(stacks)
// The definition, cell by cell: takes every plan.
CAIRN_CPU_METHOD(cells)

CAIRN_CPU_CANDIDATES(channels::kEntry, fills::kEntry, rows::kEntry, stacks::kEntry, cells::kEntry)

}  // namespace cairn::mean_pool_backward
