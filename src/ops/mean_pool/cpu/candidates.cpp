#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/mean_pool/plan.h"

namespace cairn::mean_pool {

// Channels that lie side by side.
CAIRN_CPU_METHOD(channels)
// The same with windows of more than 4096 taps, whose runs are shared by threads. One thread of a Xeon,
// FLOAT, us with it and with long_windows: global, 2 images of 32x112x112 185 and 3004.
CAIRN_CPU_METHOD(channel_runs)
// Windows of three cells along W: cells are read once, and edges need no care. Two threads of a Xeon, least
// ms with it and with rows: a2-k3s1 FLOAT 14.0 and 16.4, FLOAT16 8.7 and 13.7, BF16 11.3 and 13.6;
// a2-k3s2 8.5 and 8.2, 3.1 and 5.3, 3.3 and 4.2; a3-k3s2 5.9 and 7.8, 3.4 and 6.9, 3.5 and 4.2 (before it
// prefetched). An EPYC, 1300 planes of 56x56, one thread: stride 2 FLOAT 0.87 and 1.4, FLOAT16 0.75 and 1.1.
CAIRN_CPU_METHOD(threes)
// Windows one or two apart along W: neighbours in a vector.
CAIRN_CPU_METHOD(rows)
// Planes put side by side, where windows overlap.
CAIRN_CPU_METHOD(stacks)
// Windows whose rows lie in order: a few at a time, each a lane of a vector.
CAIRN_CPU_METHOD(boxes)
// More than 64 taps, where rows of whole slices are lanes: memory is read in order.
CAIRN_CPU_METHOD(slabs)
// More than 64 taps: the lanes of the sum side by side.
CAIRN_CPU_METHOD(long_windows)
// The definition, window by window: takes every plan.
CAIRN_CPU_METHOD(cells)

CAIRN_CPU_CANDIDATES(channels::kEntry, channel_runs::kEntry, threes::kEntry, rows::kEntry, stacks::kEntry,
                     boxes::kEntry, slabs::kEntry, long_windows::kEntry, cells::kEntry)

}  // namespace cairn::mean_pool
