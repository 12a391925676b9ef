#pragma once

#include <algorithm>

#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// What speaks against taking channels side by side.
inline const char* why_no_channel_blocks(const Plan& plan) {
  if (const char* reason = why_no_blocks(plan)) return reason;
  if (plan.c == 1) return "there is one channel";
  if (plan.self.c != 1) return "channels do not lie side by side";
  if (plan.self.w == 1 && plan.in.w > 1) return "W is dense";
  return nullptr;
}

inline BlockLimits channel_limits(const Plan& plan) {
  const std::int64_t channels = std::min(plan.c, BlockLimits::kMostElements);
  return {.channels = channels, .windows = BlockLimits::kMostElements / channels};
}

}  // namespace cairn::max_pool
