#pragma once

#include <cstdint>
#include <vector>

#include "ops/max_pool/cpu_blocks.h"

namespace cairn::max_pool {

// A thread's working memory; it outlives the call.
struct Scratch {
  std::vector<float> input;  // a row of self, with padding
  std::vector<std::int32_t>
      first;                   // of each window of a stretch, where its first tap in the plane lies along W
  std::vector<float> reduced;  // by slot and row: the best values along W, then their positions
  std::vector<std::int64_t> slices;  // which input slice a slot holds
  std::vector<char> nans;            // whether it has any

  void make_room(const Plan& plan, const Axes& axes, const Blocks& blocks, std::int64_t lanes) {
    const std::int64_t last = (blocks.windows + lanes) * plan.stride.w + axes.w.extent() + 2 * lanes;
    grow(input, last * blocks.channels);
    grow(first, blocks.windows + lanes);
    grow(reduced, 2 * blocks.slots * blocks.slot_rows * blocks.pitch + lanes);
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
