#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/upsample_nearest_backward/plan.h"

namespace cairn::upsample_nearest_backward {

// W keeps its size: a row of cells is the sum of lines, added with vectors. Two threads, ms with it and
// without: n3-same-w FLOAT 4.3 and 5.0, FLOAT16 2.7 and 3.8.
CAIRN_CPU_METHOD(one_each)
// W is doubled: a row of cells is the sum of lines, whose neighbours are told apart by de-interleaving loads.
// Two threads, an eighth of the planes, ms with it and without: n3-vae FLOAT 0.66 and 0.87, FLOAT16 0.48 and
// 0.43; n3-double, whole, 4.4 and 5.3.
CAIRN_CPU_METHOD(two_each)
// W becomes four times as long: the same with loads that tell four neighbours apart: n1-audio FLOAT 17 and
// 28, FLOAT16 4.2 and 15.6.
CAIRN_CPU_METHOD(four_each)
// Channels side by side: a cell's positions are added with vectors, all channels of one in registers: n3-unet
// NDHWC FLOAT 5.7 and 9.4, n3-ndhwc-c32 2.4 and 34.
CAIRN_CPU_METHOD(channels)
// Cells that take few neighbours each: a vector of cells reads a short window of a line and shuffles its
// terms out of it, by a table that all rows share: n3-odd FLOAT 1.26 and 1.86, FLOAT16 0.62 and 8.9.
CAIRN_CPU_METHOD(windows)
// Small planes: the positions of each cell by a table that all planes share.
CAIRN_CPU_METHOD(whole_planes)
// Box after box, with sums in memory: takes every plan.
CAIRN_CPU_METHOD(boxes)

CAIRN_CPU_CANDIDATES(one_each::kEntry, two_each::kEntry, four_each::kEntry, channels::kEntry, windows::kEntry,
                     whole_planes::kEntry, boxes::kEntry)

}  // namespace cairn::upsample_nearest_backward
