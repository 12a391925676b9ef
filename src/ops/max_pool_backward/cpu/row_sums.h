#pragma once

#include "ops/max_pool_backward/cpu/boxes.h"
#include "ops/max_pool_backward/cpu/geometry.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// True if the elements are halves and the windows, three cells wide and high, lie two apart, as those that
// halve a plane with overlap do. Then each cell asks the few windows that reach it, many cells at a time.
bool rows_can_be_summed(const Plan& plan, const Axes& axes);

void sum_rows(const Plan& plan, const BoxTask& task);

}  // namespace cairn::max_pool_backward
