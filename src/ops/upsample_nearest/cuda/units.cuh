#pragma once

#include "ops/upsample_nearest/cuda/copies.cuh"

namespace cairn::upsample_nearest {

// Each lane's unit has a source of its own.
template <typename Unit, typename Coord>
__global__ void __launch_bounds__(kThreads) copy_units(const __grid_constant__ CopyPlan<Coord> plan) {
  cuda::let_next_kernel_come();
  const Coord item = static_cast<Coord>(blockIdx.x) * kThreads + static_cast<Coord>(threadIdx.x);
  if (item >= plan.items) return;
  const Place<Coord> place = Place<Coord>::template of<kSteps>(plan, item);
  const std::int64_t source = plan.lane.source(place.lane);
  cuda::wait_for_kernel_before();
  write_steps<kSteps, Unit>(
      plan.step, place.step, static_cast<const Unit*>(plan.self) + place.from + source * plan.lane.from,
      static_cast<Unit*>(plan.values) + place.to + static_cast<std::int64_t>(place.lane) * plan.lane.to,
      [](const Unit* from, Unit& unit) { unit = *from; });
}

}  // namespace cairn::upsample_nearest
