#pragma once

#include <atomic>
#include <cstdint>

#include "ops/max_pool_backward/cpu_boxes.h"
#include "ops/max_pool_backward/cpu_geometry.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// True if windows share no cell and lie two apart along W, as those that halve a plane do. Then there is
// nothing to add: a row of cells is a row of windows, each gradient put where its index says, else zero.
bool rows_can_be_placed(const Plan& plan, const Axes& axes);

// Boxes [begin, end) of the planes, counted plane by plane; a box has whole rows.
struct PlaceTask {
  const Axes& axes;
  const Boxes& boxes;
  std::int64_t begin;
  std::int64_t end;
  bool streaming;
  std::atomic<bool>* strays;  // set for a plane with an index outside its own window: it is not right yet
};

void place_rows(const Plan& plan, const PlaceTask& task);

}  // namespace cairn::max_pool_backward
