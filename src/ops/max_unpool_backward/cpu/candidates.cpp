#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {

// Fills the cells of a stretch in a shuffled order: from one in order the processor would see a pattern and
// also fetch the lines between, which no index names. The widest elements leave many lines out.
CAIRN_CPU_METHOD(shuffled)
// The elements of a plane of gradOutput lie evenly spaced, so an index is a distance.
CAIRN_CPU_METHOD(strided)
// Tells D, H and W of each index apart, with multiplications for divisions.
CAIRN_CPU_METHOD(rows)
// Gathers a stretch of cells and stores it as out's type wherever out's cells lie: takes every plan.
CAIRN_CPU_METHOD(converted)

CAIRN_CPU_CANDIDATES(shuffled::kEntry, strided::kEntry, rows::kEntry, converted::kEntry)

}  // namespace cairn::max_unpool_backward
