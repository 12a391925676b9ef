#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {

// Small planes, several at a time.
CAIRN_CPU_METHOD(whole_planes)
// H and W doubled: a vector of cells takes its elements from the two rows of its boxes by comparisons, one
// with an index elsewhere each by itself. If most of a few indices are, strided or channels computes the
// call. Two threads of a Xeon, median ms with it and without: u2-segnet NCHW FLOAT 3.2 and 4.8, FLOAT16 2.0
// and 3.0, NHWC 3.2 and 4.1, 2.0 and 3.2.
CAIRN_CPU_METHOD(doubled)
// Fills the cells of a stretch in a shuffled order: from one in order the processor would see a pattern and
// also fetch the lines between, which no index names. The widest elements leave many lines out. Two threads,
// an eighth of the planes, ms with it and without: u3-segnet DOUBLE 1.59 and 1.95, INT64 1.63 and 1.91.
CAIRN_CPU_METHOD(shuffled)
// The elements of a plane of gradOutput lie evenly spaced, so an index is a distance: FLOAT 1.31 and 2.00,
// FLOAT16 0.74 and 1.52.
CAIRN_CPU_METHOD(strided)
// Channels side by side in all tensors: cell after cell, so that lines are read while they are near. Two
// threads, ms with it and without: u2-segnet FLOAT NHWC 2.1 and 35.
CAIRN_CPU_METHOD(channels)
// Tells D, H and W of each index apart, with multiplications for divisions, and stores a stretch of cells as
// out's type wherever they lie: takes every plan.
CAIRN_CPU_METHOD(converted)

CAIRN_CPU_CANDIDATES(whole_planes::kEntry, doubled::kEntry, shuffled::kEntry, strided::kEntry,
                     channels::kEntry, converted::kEntry)

}  // namespace cairn::max_unpool_backward
