#pragma once

#include <span>

#include "ops/checks/upsampling.h"

namespace cairn::upsample_nearest {

// Phase 1, over any number of spatial axes: of UpsampleNearest3d, of the lines and images without scales and
// with float ones, and of those that take positions by their centres.
std::span<const Rule> rules(int spatial);
std::span<const Rule> plain_rules(int spatial);
std::span<const Rule> v2_rules(int spatial);
std::span<const Rule> exact_rules(int spatial);
PlannedCall plan(const upsampling::Call& call);

}  // namespace cairn::upsample_nearest
