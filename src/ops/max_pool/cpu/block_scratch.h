#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cpu/aligned.h"
#include "ops/max_pool/cpu/blocks.h"

namespace cairn::max_pool {

// A thread's memory for the results of a block, as they are found and as they are written; it outlives the
// call.
struct BlockScratch {
  Aligned<float> floats;
  Aligned<std::int32_t> ints;
  Aligned<std::uint16_t> halves;
  Aligned<std::int64_t> longs;

  template <typename T>
  T* values() {
    if constexpr (std::is_same_v<T, float>) {
      return floats.data();
    } else {
      return reinterpret_cast<T*>(halves.data());
    }
  }
  template <typename Index>
  Index* positions() {
    if constexpr (sizeof(Index) == 4) {
      return ints.data();
    } else {
      return longs.data();
    }
  }

  // Whole vectors are written.
  void make_room(std::int64_t lanes) { make_room(BlockLimits::kMostElements, lanes); }
  void make_room(std::int64_t elements, std::int64_t lanes) {
    const std::int64_t size = elements + 2 * lanes;
    grow(floats, size);
    grow(ints, size);
    grow(halves, size);
    grow(longs, size);
  }
};

}  // namespace cairn::max_pool
