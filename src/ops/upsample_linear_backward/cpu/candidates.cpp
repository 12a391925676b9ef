#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/upsample_linear_backward/plan.h"

namespace cairn::upsample_linear_backward {

// Each axis has twice as many positions as cells: lines are folded along W, and added to the sums along H and
// D in registers. Two threads, ms with it and without, FLOAT and FLOAT16: t3-unet 16.0 and 22.7, 15.2
// and 19.3; NDHWC 18.2 and 34.9, 20.4 and 41.1; b2-fpn 3.6 and 5.5, 3.1 and 4.4.
CAIRN_CPU_METHOD(doubling)
// The same with cubic weights along H and W: each line is folded once, with weights that stay in registers,
// and added to the sums of four rows. Two threads, ms with it and without: c2-x2 FLOAT 1.8 and 4.1, FLOAT16
// 1.9 and 3.9, BF16 1.7 and 3.8.
CAIRN_CPU_METHOD(cubic_doubling)
// Lines are weighed along W as they are needed, the last few kept for H and D: takes every plan.
CAIRN_CPU_METHOD(passes)

CAIRN_CPU_CANDIDATES(doubling::kEntry, cubic_doubling::kEntry, passes::kEntry)

}  // namespace cairn::upsample_linear_backward
