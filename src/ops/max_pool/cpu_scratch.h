#pragma once

#include <cstdint>
#include <vector>

#include "ops/max_pool/cpu_blocks.h"

namespace cairn::max_pool {

// A thread's working memory; it outlives the call. Rows of windows are their values, then their positions.
struct Scratch {
  std::vector<float> input;         // a row of self, with padding
  std::vector<std::int32_t> first;  // of each window of a stretch, how far in its first tap in the plane lies
  std::vector<float> reduced;       // the latest rows of a slice, along W
  std::vector<float> slabs;         // by slot: rows of windows, along W and H
  std::vector<std::int64_t> slices;  // which input slice a slot holds
  std::vector<char> nans;            // whether it may have a NaN
  std::vector<float> values;         // of a block, row after row
  std::vector<std::int32_t> positions;

  void make_room(const Plan& plan, const Axes& axes, const Blocks& blocks, std::int64_t lanes) {
    grow(values, Blocks::kMostBlock + lanes);
    grow(positions, Blocks::kMostBlock + lanes);
    if (blocks.way != Way::kByRows) return;
    grow(input, (blocks.windows + lanes) * plan.stride.w + axes.w.extent() + 2 * lanes);
    grow(first, blocks.windows + lanes);
    grow(reduced, 2 * blocks.ring * blocks.pitch);
    grow(slabs, 2 * blocks.slots * blocks.rows * blocks.pitch);
    slices.assign(static_cast<std::size_t>(blocks.slots), -1);
    nans.assign(static_cast<std::size_t>(blocks.slots), 0);
  }

 private:
  template <typename E>
  static void grow(std::vector<E>& memory, std::int64_t size) {
    if (static_cast<std::int64_t>(memory.size()) < size) memory.resize(static_cast<std::size_t>(size));
  }
};

inline Scratch& scratch_of_thread() {
  static thread_local Scratch scratch;
  return scratch;
}

}  // namespace cairn::max_pool
