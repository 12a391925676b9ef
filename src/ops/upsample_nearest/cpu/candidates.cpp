#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {

// W keeps its size, so a line of values is a line of self. Two threads, ms with it and without: n3-same-w
// FLOAT 3.8 and 4.6, FLOAT16 2.8 and 3.6.
CAIRN_CPU_METHOD(copy_lines)
// Channels side by side: cells are copied with vectors, past the cache where that pays.
CAIRN_CPU_METHOD(channels)
// Small planes, several at a time, by a table of what their positions take.
CAIRN_CPU_METHOD(whole_planes)
// A vector of positions takes its cells from a vector of neighbours and goes straight to where it belongs, to
// two lines at once where those are alike. Two threads of a Xeon, a quarter of the planes, least ms with it
// and without: n3-odd FLOAT 4.0 and 5.2, FLOAT16 2.1 and 5.4; n3-unet FLOAT16 3.9 and 6.5; n2-fpn FLOAT 4.1
// and 4.7, FLOAT16 2.2 and 2.7.
CAIRN_CPU_METHOD(rows)
// Every cell of a line twice, with interleaving stores: n3-vae FLOAT16 0.46 and 0.51, BF16 0.47 and 0.54;
// FLOAT level.
CAIRN_CPU_METHOD(pairs)
// Every cell four times: n1-audio FLOAT 8.2 and 20.8, FLOAT16 3.6 and 18.3 (a quarter of the planes). What is
// past the cache goes there from registers: two threads of a Xeon, by turns, 18.0 before and 12.8, 9.6
// and 6.9.
CAIRN_CPU_METHOD(fours)
// A vector of positions takes its cells from a vector of neighbours, by a shuffle that all lines share:
// n3-odd FLOAT16 0.98 and 1.49; FLOAT level.
CAIRN_CPU_METHOD(shuffles)
// One element at a time, by a table: takes every plan.
CAIRN_CPU_METHOD(elements)

CAIRN_CPU_CANDIDATES(copy_lines::kEntry, channels::kEntry, whole_planes::kEntry, rows::kEntry, pairs::kEntry,
                     fours::kEntry, shuffles::kEntry, elements::kEntry)

}  // namespace cairn::upsample_nearest
