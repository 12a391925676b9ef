#pragma once

#include <cstdint>

#include "common/view.h"

namespace cairn {

// The mask of a pooling whose windows have one tap each, as CANN lays out its older masks: a block for every
// 16 channels, in it a word of 16 bits for every window, of which whole groups of 16 are set, and a group
// more that is left as it is.
struct OnesMask {
  std::int64_t blocks;
  std::int64_t set;    // bytes of a block
  std::int64_t pitch;  // bytes from a block to the next

  constexpr OnesMask(std::int64_t n, std::int64_t c, const Size3& out)
      : blocks(n * ((c + 15) / 16)), set((out.count() + 15) / 16 * 32), pitch(set + 32) {}
};

}  // namespace cairn
