#pragma once

#include "backend/kernel.h"
#include "ops/kit/cpu/resample/planes.h"

namespace cairn::resample {

// Whether these are gradients of planes that cubic weights double along H and W, and lines are vectors
// throughout: what speaks against it in words, or nothing.
const char* why_not_cubic_doubling(Planes planes);

// Computes such planes: lines are folded along W once, and H follows in registers.
void run_cubic_doubling(Planes planes, Workers& workers);

}  // namespace cairn::resample
