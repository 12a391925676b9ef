#pragma once

#include "backend/kernel.h"
#include "ops/kit/cpu/resample/planes.h"

namespace cairn::resample {

// Whether W and H, and D unless it keeps its values, have twice as many positions as cells, and lines are
// vectors throughout: what speaks against it in words, or nothing.
const char* why_not_doubling(Planes planes);

// Computes such planes: lines are doubled along W, or folded, once, and H and D follow in registers.
void run_doubling(Planes planes, Workers& workers);

}  // namespace cairn::resample
