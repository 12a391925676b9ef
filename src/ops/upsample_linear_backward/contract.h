#pragma once

#include <span>

#include "ops/checks/resampling.h"

namespace cairn::upsample_linear_backward {

// Phase 1: linear over one, two or three spatial axes, the others over two.
std::span<const Rule> linear_rules(int spatial);
std::span<const Rule> linear_v2_rules(int spatial);
std::span<const Rule> cubic_rules(int spatial);
std::span<const Rule> antialiased_linear_rules(int spatial);
std::span<const Rule> antialiased_cubic_rules(int spatial);
PlannedCall plan(const upsampling::Call& call);

}  // namespace cairn::upsample_linear_backward
