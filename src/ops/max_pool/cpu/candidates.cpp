#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// Channels of a half type that lie side by side, values and positions of 16 bits each.
CAIRN_CPU_METHOD(half_channels)
// Channels that lie side by side: all taps of a window at once, as floats. Two threads, ms with it and
// without: p2-resnet FLOAT NHWC 0.78 and 12.7 (an eighth of the planes).
CAIRN_CPU_METHOD(channels)
// Windows whose taps lie in long runs and are shared by few others: vectors along the taps.
CAIRN_CPU_METHOD(long_runs)
// Many small planes that lie one behind the other: one cell of as many planes in a vector.
CAIRN_CPU_METHOD(small_planes)
// Windows of two along W that do not overlap: all taps at once, straight from memory.
CAIRN_CPU_METHOD(pairs)
// Small windows side by side, in bands of rows.
CAIRN_CPU_METHOD(bands)
// Windows that share few cells, as those of adaptive pooling: columns of a window's rows, then windows.
CAIRN_CPU_METHOD(columns)
// Windows of any kind whose rows fit into the cache, reduced along W, then H, then D.
CAIRN_CPU_METHOD(rows)
// DOUBLE: windows side by side in a vector, or channels. One thread, ms with it and without: p2-vgg 5.2 and
// 19, p3-unet 6.0 and 22 (3 % of the planes).
CAIRN_CPU_METHOD(doubles)
// The definition, cell by cell: takes every plan.
CAIRN_CPU_METHOD(cells)

CAIRN_CPU_CANDIDATES(half_channels::kEntry, channels::kEntry, long_runs::kEntry, small_planes::kEntry,
                     pairs::kEntry, bands::kEntry, columns::kEntry, rows::kEntry, doubles::kEntry,
                     cells::kEntry)

}  // namespace cairn::max_pool
