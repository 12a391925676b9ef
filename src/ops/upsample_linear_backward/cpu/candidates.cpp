#include <array>

#include "ops/candidate.h"
#include "ops/kernels.h"
#include "ops/upsample_linear_backward/plan.h"

namespace cairn::upsample_linear_backward {

// Lines are weighed along W as they are needed, the last few kept for H and D: takes every plan.
CAIRN_CPU_METHOD(passes)

CAIRN_CPU_CANDIDATES(passes::kEntry)

}  // namespace cairn::upsample_linear_backward
