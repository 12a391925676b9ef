#pragma once

#include <cstdint>
#include <vector>

#include "ops/kit/cpu/aligned.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool/cpu/row_buffers.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// A thread's memory for blocks row by row; it outlives the call. Rows of windows are their values, then their
// positions.
struct RowScratch {
  struct Slot {
    std::int64_t slice = -1;  // of the input
    bool nans = false;        // whether it may have a NaN
  };

  Aligned<float> input;         // a row of self, with padding
  Aligned<std::int32_t> first;  // of each window of a stretch, how far in its first tap in the plane lies
  Aligned<float> reduced;       // the latest rows of a slice, along W
  Aligned<float> doubled;       // of each cell, the best from there on
  Aligned<std::int32_t> doubled_at;
  Aligned<float> slabs;  // by slot: rows of windows, along W and H
  std::vector<Slot> slots;
  std::int64_t input_size = 0;  // of this call

  void make_room(const Plan& plan, const WindowAxes& axes, const RowBuffers& buffers, std::int64_t slab_rows,
                 std::int64_t lanes) {
    const std::int64_t windows = buffers.limits.stretch(plan);
    input_size = (windows + lanes) * plan.stride.w + axes.w.extent + 3 * lanes;
    grow(input, input_size);
    grow(first, windows + lanes);
    grow(reduced, 2 * buffers.ring * buffers.pitch);
    grow(slabs, 2 * buffers.slots * slab_rows * buffers.pitch);
    slots.assign(static_cast<std::size_t>(buffers.slots), {});
  }
};

}  // namespace cairn::max_pool
