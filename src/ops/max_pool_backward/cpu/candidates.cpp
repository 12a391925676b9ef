#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Windows share no cell and lie two apart along W, as those that halve a plane do: there is nothing to add. A
// row of cells is a row of windows, each gradient put where its index says, else zero. Two threads, an eighth
// of the planes, ms with it and without: p3-unet FLOAT 1.87 and 2.43, FLOAT16 0.90 and 1.47; p2-vgg
// FLOAT 1.29 and 1.50, FLOAT16 0.74 and 1.47.
CAIRN_CPU_METHOD(place_rows)
// Halves, under windows three cells wide and high that lie two apart, as those that halve a plane with
// overlap: each cell looks at the few windows that reach it, many cells at a time. In the same way: p3-video
// FLOAT16 1.08 and 1.70, p3-k3s2 FLOAT16 1.08 and 1.37, BF16 1.09 and 2.41.
CAIRN_CPU_METHOD(sum_rows)
// FLOAT that stays in the cache, channels side by side, where they or the windows are few: as whole_planes, a
// window's channels one after the other. ms on one core, of scatter or sum_channels and of this: 3 channels
// of 256x256 2.1, 0.40; 1024 channels of 7x7, global 0.44, 0.26.
CAIRN_CPU_METHOD(whole_images)
// Channels side by side are summed with vectors: each cell looks at the windows that reach it, in order, and
// takes the gradients whose index is its own position: p2-resnet NHWC FLOAT 1.02 and 1.55, FLOAT16 0.74 and
// 1.40.
CAIRN_CPU_METHOD(sum_channels)
// Halves with few windows for many cells: a plane of zeros is written with what windows put there, and only
// that is cleared after it. Two threads of a Xeon, least ms with it and without: am3-32to4 FLOAT16 1.2 and
// 2.1, am3-32to5 1.3 and 1.8, am2-56to7 1.3 and 1.4, am2-50to7 1.8 and 1.9.
CAIRN_CPU_METHOD(zeros)
// Small planes, or FLOAT that stays in the cache: every gradient is added where its index says, whatever its
// window, so that nothing is counted or repaired and a plane costs little more than its windows. ms on one
// core, of scatter and of this: a million planes of 2x2x2 240, 1.3; 60000 of 4x4x4 21, 0.51; 16384 of 14x14
// 2.1, 0.67; windows of 13x13 one apart 0.17, 0.07; one stray index in each plane 0.64, 0.20.
CAIRN_CPU_METHOD(whole_planes)
// Adds each gradient to the cell its index names, window after window, in sums that slide through the cache:
// takes every plan. Only the windows that can reach a cell are looked at for it.
CAIRN_CPU_METHOD(scatter)

CAIRN_CPU_CANDIDATES(place_rows::kEntry, sum_rows::kEntry, whole_images::kEntry, sum_channels::kEntry,
                     zeros::kEntry, whole_planes::kEntry, scatter::kEntry)

}  // namespace cairn::max_pool_backward
