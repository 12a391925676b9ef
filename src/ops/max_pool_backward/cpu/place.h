#pragma once

#include "ops/max_pool_backward/cpu/boxes.h"
#include "ops/max_pool_backward/cpu/geometry.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// True if windows share no cell and lie two apart along W, as those that halve a plane do. Then there is
// nothing to add: a row of cells is a row of windows, each gradient put where its index says, else zero.
bool rows_can_be_placed(const Plan& plan, const Axes& axes);

void place_rows(const Plan& plan, const BoxTask& task);

}  // namespace cairn::max_pool_backward
