#pragma once

#include <cstdint>
#include <new>
#include <vector>

#include "ops/max_pool/cpu/blocks.h"

namespace cairn::max_pool {

// Vectors that cross a cache line cost twice.
template <typename E>
struct InCacheLines {
  using value_type = E;
  InCacheLines() = default;
  template <typename Other>
  InCacheLines(const InCacheLines<Other>& /*other*/) {
  }  // NOLINT(google-explicit-constructor): as containers want
  static constexpr std::align_val_t kLine{64};
  E* allocate(std::size_t count) { return static_cast<E*>(::operator new(count * sizeof(E), kLine)); }
  void deallocate(E* memory, std::size_t /*count*/) { ::operator delete(memory, kLine); }
  bool operator==(const InCacheLines&) const = default;
};
using FloatRows = std::vector<float, InCacheLines<float>>;
using IntRows = std::vector<std::int32_t, InCacheLines<std::int32_t>>;

// A thread's working memory; it outlives the call. Rows of windows are their values, then their positions.
struct Scratch {
  FloatRows input;    // a row of self, with padding
  IntRows first;      // of each window of a stretch, how far in its first tap in the plane lies
  FloatRows reduced;  // the latest rows of a slice, along W
  FloatRows slabs;    // by slot: rows of windows, along W and H
  std::vector<std::int64_t> slices;  // which input slice a slot holds
  std::vector<char> nans;            // whether it may have a NaN
  FloatRows values;                  // of a block, row after row
  IntRows positions;
  IntRows laid_out;  // by bands: rows of self
  IntRows last_row;  // behind which self ends
  IntRows band;      // rows of windows, along W
  IntRows kept;      // by slot: rows of windows, along W and H

  void make_room(const Plan& plan, const WindowAxes& axes, const Blocks& blocks, std::int64_t lanes) {
    grow(values, Blocks::kMostBlock + lanes);
    grow(positions, Blocks::kMostBlock + lanes);
    if (blocks.way != Way::kByRows) return;
    grow(input, (blocks.windows + lanes) * plan.stride.w + axes.w.extent + 3 * lanes);
    grow(first, blocks.windows + lanes);
    grow(reduced, 2 * blocks.ring * blocks.pitch);
    grow(slabs, 2 * blocks.slots * blocks.rows * blocks.pitch);
    slices.assign(static_cast<std::size_t>(blocks.slots), -1);
    nans.assign(static_cast<std::size_t>(blocks.slots), 0);
  }

  template <typename Rows>
  static void grow(Rows& memory, std::int64_t size) {
    if (static_cast<std::int64_t>(memory.size()) < size) memory.resize(static_cast<std::size_t>(size));
  }
};

}  // namespace cairn::max_pool
