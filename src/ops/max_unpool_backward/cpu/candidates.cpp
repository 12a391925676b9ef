#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {

// Small planes, several at a time.
CAIRN_CPU_METHOD(whole_planes)
// Fills the cells of a stretch in a shuffled order: from one in order the processor would see a pattern and
// also fetch the lines between, which no index names. The widest elements leave many lines out.
CAIRN_CPU_METHOD(shuffled)
// The elements of a plane of gradOutput lie evenly spaced, so an index is a distance.
CAIRN_CPU_METHOD(strided)
// Tells D, H and W of each index apart, with multiplications for divisions, and stores a stretch of cells as
// out's type wherever they lie: takes every plan.
CAIRN_CPU_METHOD(converted)

CAIRN_CPU_CANDIDATES(whole_planes::kEntry, shuffled::kEntry, strided::kEntry, converted::kEntry)

}  // namespace cairn::max_unpool_backward
