#pragma once

#include "ops/upsample_nearest/cuda/copy_plan.h"

// What the candidates that write rows in packs have in common.
namespace cairn::upsample_nearest {

// A lane is a pack of values.
inline CopyPlan<int> row_plan(const Plan& plan, int steps) {
  CopyPlan<int> rows = copy_plan<int>(plan, Order::kRows, 1, steps);
  rows.by_lanes = CopyPlan<int>::Divider(plan.out.w / (kPackBytes / size_of(plan.type)));
  return rows;
}

inline const char* why_not_rows_of_packs(const Plan& plan, int steps) {
  const View5& from = plan.self;
  const View5& to = plan.values;
  const int element = size_of(plan.type);
  if (is_empty(plan)) return "there is nothing to copy";
  if (from.w != 1 || to.w != 1) return "neighbours along W are not neighbours in memory";
  if (plan.out.w == 1) return "a row is one value";
  if (!is_narrow(plan)) return "sizes or offsets in a plane need 64 bits";
  if (!cuda::in_packs(to.data, element, kPackBytes / element, {plan.out.w, to.n, to.c, to.d, to.h}))
    return "rows of values do not lie in packs of 16 bytes";
  return are_few(items_of(row_plan(plan, steps), plan.n)) ? nullptr : "too many packs to number in 32 bits";
}

// How many values a thread has along H: kRowSteps of a type of this size.
inline int row_steps(const Plan& plan) {
  return size_of(plan.type) < 4 ? kRowSteps<std::uint16_t, 0> : kRowSteps<std::uint32_t, 0>;
}

}  // namespace cairn::upsample_nearest
