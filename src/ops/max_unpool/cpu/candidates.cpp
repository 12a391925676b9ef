#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {

// Small planes, several at a time: zeroes their cells where they are near and puts each element where its
// index says.
CAIRN_CPU_METHOD(whole_planes)
// H and W doubled: the box of cells, of which each element names one, is made from comparisons, a vector of
// elements of a row or channels of a cell at a time. If an index names another cell, the next two compute the
// call. Two threads of a Xeon, median ms with it and without: u2-segnet NCHW FLOAT 2.3 and 4.5, FLOAT16 1.7
// and 3.4, NHWC 2.4 and 7.0, 1.8 and 5.9.
CAIRN_CPU_METHOD(doubled)
// Keeps the cells that are being written in the cache and hands those left behind to memory, each line once
// and past the cache: memory is neither zeroed first nor read to be written.
CAIRN_CPU_METHOD(sliding_window)
// Zeroes the cells of a plane and puts each element where its index says. Two threads, ms with it and
// without: u2-layer 0.85 and 1.78, u3-segnet INT8, an eighth of the planes, 0.74 and 4.6.
CAIRN_CPU_METHOD(in_place)
// Both take images whose channels lie side by side as planes: u2-segnet FLOAT NHWC 6.0, strided 61.
// As in_place, with cells wherever the strides of out say: takes every plan.
CAIRN_CPU_METHOD(strided)

CAIRN_CPU_CANDIDATES(whole_planes::kEntry, doubled::kEntry, sliding_window::kEntry, in_place::kEntry,
                     strided::kEntry)

}  // namespace cairn::max_unpool
