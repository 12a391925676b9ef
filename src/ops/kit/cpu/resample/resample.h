#pragma once

#include "backend/kernel.h"
#include "ops/kit/cpu/resample/planes.h"

namespace cairn::resample {

// Computes what `planes` says, its axes in whatever order; nothing where there is no plane. FLOAT may be
// written as FLOAT16 or BF16, other types as themselves.
void run(Planes planes, Workers& workers);

}  // namespace cairn::resample
