#include <algorithm>

#include "ops/max_pool_backward/cuda/box_plan.h"
#include "ops/max_pool_backward/cuda/by_types.h"
#include "ops/max_pool_backward/cuda/methods.h"
#include "ops/max_pool_backward/cuda/rows.cuh"

namespace cairn::max_pool_backward {
namespace {

// Windows of a row that share a cell are less than an extent apart.
std::int64_t reach_of(const Axes& axes) { return cuda::divide_up(axes.w.extent, axes.w.stride) - 1; }

// How the rows of boxes are written.
template <typename Coord>
void set_output(const Plan& plan, const Axes& axes, const Size3& box, BoxPlan<Coord>& result) {
  const View5& to = plan.grad_input;
  result.rows_follow = box.w == plan.in.w && (to.h == plan.in.w || plan.in.h == 1) && to.w == 1;
  result.slabs_follow = result.rows_follow && box.h == plan.in.h && to.d == plan.in.h * plan.in.w;
  const std::int64_t last_h = plan.in.h - (axes.h.boxes(box.h) - 1) * box.h;
  const std::int64_t last_w = plan.in.w - (axes.w.boxes(box.w) - 1) * box.w;
  const int element = size_of(plan.type);
  result.pack = result.rows_follow ? pack_of(to, element, {box.h * box.w, last_h * box.w, to.n, to.c, to.d})
                                   : pack_of(to, element, {box.w, last_w, to.n, to.c, to.d, to.h});
}

std::int64_t floats_of_sum(const Plan& plan) { return plan.type == DataType::kDouble ? 2 : 1; }

template <typename Coord>
BoxPlan<Coord> rows_plan(const Plan& plan, const Axes& axes, const Size3& box,
                         const cuda::CudaLaunch& launch) {
  BoxPlan<Coord> result = box_plan<Coord>(plan, axes, box, plan.c, launch);
  set_output(plan, axes, box, result);
  const std::int64_t reach = reach_of(axes);
  result.conflict_reach = static_cast<int>(std::min<std::int64_t>(reach, kWarp - 1));
  // Windows of two rows may share a cell: no group of lanes may hold both, unless they are far apart in it.
  const std::int64_t row = axes.w.most_windows(box.w);
  // The template's reach may be one more than the windows'.
  const bool far_apart = row > kWarp + reach || (reach == 0 && axes.h.extent <= axes.h.stride);
  result.by_row_step = decltype(result.by_row_step)(
      std::max<std::int64_t>(far_apart ? row : cuda::divide_up(row, kWarp) * kWarp, 1));
  result.floats_per_warp = static_cast<int>(cuda::divide_up(box.count() * floats_of_sum(plan), 4) * 4);
  return result;
}

template <typename T, typename Index, int Reach, bool Planar>
auto kernel_for(bool flat) {
  return flat ? scatter_rows<T, Index, Reach, true, Planar, int>
              : scatter_rows<T, Index, Reach, false, Planar, int>;
}

// The kernel for boxes of whole rows whose windows share cells with few others; else the one for all.
template <typename T, typename Index, typename Coord>
auto kernel_of(const Plan& plan, std::int64_t reach, const BoxPlan<Coord>& boxes) {
  if constexpr (sizeof(Coord) == 4 && sizeof(T) <= 4) {
    const bool whole_rows = boxes.w.box == plan.in.w;
    const bool planar = plan.in.d == 1;
    const bool flat = boxes.by_row_step.divisor() != kWarp;
    if (whole_rows && reach > 0 && reach <= 2)
      return planar ? kernel_for<T, Index, 2, true>(flat) : kernel_for<T, Index, 2, false>(flat);
    if (whole_rows && reach > 2 && reach <= 4)
      return planar ? kernel_for<T, Index, 4, true>(flat) : kernel_for<T, Index, 4, false>(flat);
  }
  return scatter_rows<T, Index, kAnyReach, true, false, Coord>;
}

}  // namespace

cudaError_t run_rows(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.n * plan.c == 0) return cudaSuccess;
  if (plan.index_type == DataType::kInt8) return run_single_taps(plan, launch);
  if (!is_aligned(plan.indices, size_of(plan.index_type))) return run_small(plan, launch);
  const Axes axes(plan);
  const std::int64_t room = kBoxRoom / floats_of_sum(plan);
  const Size3 box = best_box(axes, axes.w.even_box(room), room);
  const cudaError_t error =
      by_real_types(plan, [&]<typename T, typename Index>(cuda::Tag<T>, cuda::Tag<Index>) {
        return cuda::by_coordinate(fits_int(plan, axes), [&]<typename Coord>(cuda::Tag<Coord>) {
          const BoxPlan<Coord> result = rows_plan<Coord>(plan, axes, box, launch);
          return start_warps(kernel_of<T, Index>(plan, reach_of(axes), result), result,
                             result.floats_per_warp * kWarpsPerBlock, launch);
        });
      });
  return error != cudaSuccess ? error : run_repair(plan, launch);
}

}  // namespace cairn::max_pool_backward
