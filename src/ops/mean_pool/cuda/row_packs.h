#pragma once

#include <cstdint>

#include "ops/kit/cuda/views.h"
#include "ops/mean_pool/plan.h"

namespace cairn::mean_pool {

// Every row of every window is whole packs of so many cells.
inline bool rows_are_packs(const Plan& plan, std::int64_t count) {
  const View5& from = plan.self;
  const MeanAxis& w = plan.w;
  return from.w == 1 && w.all_inside() && w.kernel % count == 0 && (w.out == 1 || w.stride % count == 0) &&
         cuda::in_packs(from.data, static_cast<int>(size_of(plan.type)), count,
                        {from.n, from.c, from.d, from.h});
}

}  // namespace cairn::mean_pool
