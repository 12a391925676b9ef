#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Windows share no cell and lie two apart along W, as those that halve a plane do: there is nothing to add. A
// row of cells is a row of windows, each gradient put where its index says, else zero.
CAIRN_CPU_METHOD(place_rows)
// Halves, under windows three cells wide and high that lie two apart, as those that halve a plane with
// overlap: each cell looks at the few windows that reach it, many cells at a time.
CAIRN_CPU_METHOD(sum_rows)
// Channels side by side are summed with vectors: each cell looks at the windows that reach it, in order, and
// takes the gradients whose index is its own position.
CAIRN_CPU_METHOD(sum_channels)
// Adds each gradient to the cell its index names, window after window, in sums that slide through the cache:
// takes every plan. Only the windows that can reach a cell are looked at for it.
CAIRN_CPU_METHOD(scatter)

CAIRN_CPU_CANDIDATES(place_rows::kEntry, sum_rows::kEntry, sum_channels::kEntry, scatter::kEntry)

}  // namespace cairn::max_pool_backward
