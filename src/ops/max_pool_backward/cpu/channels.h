#pragma once

#include "ops/max_pool_backward/cpu/boxes.h"
#include "ops/max_pool_backward/cpu/geometry.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// True if channels that lie side by side can be summed with vectors: each cell looks at the windows that
// reach it, in order, and takes the gradients whose index is its own position.
bool channels_can_be_summed(const Plan& plan, const Axes& axes);

// A box here is one of all channels of an image.
void sum_channels(const Plan& plan, const BoxTask& task);

}  // namespace cairn::max_pool_backward
