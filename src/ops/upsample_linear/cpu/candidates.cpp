#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/upsample_linear/plan.h"

namespace cairn::upsample_linear {

// Each axis has twice as many positions as cells: a line is doubled along W once, and H and D follow in
// registers. Two threads, ms with it and without, FLOAT and FLOAT16: t3-unet 11.2 and 14.3, 8.6 and 14.2;
// NDHWC 11.6 and 27.1, 8.1 and 33.4; b2-fpn NHWC 3.2 and 3.9, 1.8 and 3.0.
CAIRN_CPU_METHOD(doubling)
// Lines are weighed along W as they are needed, the last few kept for H and D: takes every plan.
CAIRN_CPU_METHOD(passes)

CAIRN_CPU_CANDIDATES(doubling::kEntry, passes::kEntry)

}  // namespace cairn::upsample_linear
