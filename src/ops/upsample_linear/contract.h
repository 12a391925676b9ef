#pragma once

#include <span>

#include "ops/checks/resampling.h"

namespace cairn::upsample_linear {

// Phase 1: linear over one, two or three spatial axes, the others over two.
std::span<const Rule> linear_rules(int spatial);
std::span<const Rule> cubic_rules(int spatial);
std::span<const Rule> antialiased_linear_rules(int spatial);
std::span<const Rule> antialiased_cubic_rules(int spatial);
std::span<const Rule> resize_rules(int spatial);
PlannedCall plan(const upsampling::Call& call);

// Two kernels under one name: linear, or the nearest cell.
PlannedCall plan_resize(const upsampling::Call& call, const Kernel& nearest);

}  // namespace cairn::upsample_linear
