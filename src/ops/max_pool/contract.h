#pragma once

#include <span>

#include "ops/checks/pooling.h"

namespace cairn::max_pool {

// Phase 1, over any number of spatial axes.
std::span<const Rule> rules(int spatial);
std::span<const Rule> mask_rules(int spatial);  // of images whose indices are a mask

// Windows that have the same taps among `size` positions, with values that do not go far beyond it, so that
// no kernel's arithmetic overflows. `windows` is how many there are.
Window same_taps(const Window& window, std::int64_t size, std::int64_t windows);

PlannedCall plan(const pooling::Call& call);

}  // namespace cairn::max_pool
