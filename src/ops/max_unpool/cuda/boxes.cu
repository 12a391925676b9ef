#include <algorithm>

#include "ops/kit/cuda/types.cuh"
#include "ops/max_unpool/cuda/boxes.cuh"
#include "ops/max_unpool/cuda/methods.h"
#include "ops/max_unpool/cuda/tiling.h"

namespace cairn::max_unpool {
namespace {

using cuda::divide_up;

// Boxes of whole rows, as many windows as a block takes at once.
struct BoxSize {
  const char* why_not;
  std::int64_t deep, high, wide;  // cells of a window
  std::int64_t window_slabs, window_rows;
  std::int64_t slabs, rows;  // of cells
  bool whole_slabs;
  std::int64_t boxes_d, boxes_h;  // of a plane

  // Where the next of a thread's windows has its cells, seen from those of the one before: whole rows or
  // whole slabs further; 0 where that differs, or where some windows have fewer cells than others.
  std::int64_t step(const Size3& pooled, const Size3& cells) const {
    if (wide * pooled.w > cells.w || high * window_rows > rows) return 0;
    const std::int64_t group = window_slabs > 1 ? pooled.h * pooled.w : pooled.w;
    if (kThreads % group != 0) return 0;
    return kThreads / group * (window_slabs > 1 ? deep * rows : high) * cells.w;
  }
};

const char* why_no_boxes(const Plan& plan) {
  if (is_empty(plan)) return "there are no windows";
  if (has_few_windows(plan)) return "windows are few: each run can look at all of them";
  if (has_gaps(plan)) return "out has gaps";
  if (!is_narrow(plan)) return "a plane is too large for 32-bit coordinates";
  if (plan.pooled.w > kChunk) return "a row has more windows than a block takes at once";
  if (!is_dense(plan)) return "self or indices have gaps, or do not lie in packs";
  const bool packs =
      cuda::in_packs(plan.out.data, size_of(plan.type), slots_of_pack(plan), {plan.unpooled.w});
  return packs ? nullptr : "rows of out do not lie in packs";
}

BoxSize box_size(const Plan& plan) {
  const Size3& pooled = plan.pooled;
  const Size3& cells = plan.unpooled;
  BoxSize size{};
  size.why_not = why_no_boxes(plan);
  if (size.why_not != nullptr) return size;
  size.deep = AxisSize{pooled.d, cells.d}.cells_per_window();
  size.high = AxisSize{pooled.h, cells.h}.cells_per_window();
  size.wide = AxisSize{pooled.w, cells.w}.cells_per_window();
  const std::int64_t room = slots_of_tile(plan);
  const std::int64_t least = size.deep * size.high * cells.w;
  if (size.deep > 2) size.why_not = "windows are more than two cells deep";
  if (least > room) size.why_not = "the cells of a row of windows do not fit into shared memory";
  if (size.why_not != nullptr) return size;
  size.window_rows = std::min({room / least, kChunk / pooled.w, divide_up(cells.h, size.high)});
  size.rows = std::min(size.window_rows * size.high, cells.h);
  size.whole_slabs = size.rows == cells.h && size.window_rows >= pooled.h;
  size.window_slabs = 1;
  if (size.whole_slabs) {
    const std::int64_t most =
        std::min(room / (size.deep * cells.h * cells.w), kChunk / (pooled.h * pooled.w));
    size.window_slabs = std::clamp<std::int64_t>(most, 1, divide_up(cells.d, size.deep));
  }
  size.slabs = std::min(size.window_slabs * size.deep, cells.d);
  size.boxes_d = std::max(divide_up(cells.d, size.slabs), divide_up(pooled.d, size.window_slabs));
  size.boxes_h = std::max(divide_up(cells.h, size.rows), divide_up(pooled.h, size.window_rows));
  if (plan.n * plan.c * size.boxes_d * size.boxes_h > INT32_MAX)
    size.why_not = "more boxes than a grid holds";
  return size;
}

BoxPlan box_plan(const Plan& plan, const BoxSize& size, const cuda::CudaLaunch& launch) {
  const Size3& pooled = plan.pooled;
  const Size3& cells = plan.unpooled;
  const int element = size_of(plan.type);
  const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
  return {.self = plan.self.data,
          .indices = plan.indices.data,
          .out = plan.out.data,
          .slabs = narrow(size.slabs),
          .rows = narrow(size.rows),
          .window_slabs = narrow(size.window_slabs),
          .window_rows = narrow(size.window_rows),
          .whole_slabs = size.whole_slabs,
          .depth = narrow(cells.d),
          .height = narrow(cells.h),
          .row_cells = narrow(cells.w),
          .slab_cells = narrow(cells.h * cells.w),
          .plane_size = narrow(cells.count()),
          .pooled_d = narrow(pooled.d),
          .pooled_h = narrow(pooled.h),
          .pooled_w = narrow(pooled.w),
          .pooled_size = narrow(pooled.count()),
          .own_w = narrow(size.wide),
          .own_row = narrow(size.high * cells.w),
          .own_slab = narrow(size.deep * size.rows * cells.w),
          .second_row = size.high > 1 ? static_cast<unsigned>(cells.w) : 0U,
          .second_slab = size.deep > 1 ? static_cast<unsigned>(size.rows * cells.w) : 0U,
          .own_step = narrow(size.step(pooled, cells)),
          .boxes_d = cuda::Divider<std::uint32_t>(size.boxes_d),
          .boxes_h = cuda::Divider<std::uint32_t>(size.boxes_h),
          .by_window_w = cuda::Divider<std::uint32_t>(pooled.w),
          .by_window_h = cuda::Divider<std::uint32_t>(pooled.h),
          .slots = narrow(size.slabs * size.rows * cells.w),
          .halves = !cuda::in_packs(plan.out.data, element, 16 / element, {cells.w}),
          .faults = cuda::fault_sink(launch)};
}

}  // namespace

const char* why_not_boxes(const Plan& plan) { return box_size(plan).why_not; }

cudaError_t run_boxes(const Plan& plan, const cuda::CudaLaunch& launch) {
  const BoxSize size = box_size(plan);
  const BoxPlan boxes = box_plan(plan, size, launch);
  const std::int64_t blocks = plan.n * plan.c * size.boxes_d * size.boxes_h;
  const cudaError_t error = cuda::by_element_size(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_index_type(plan.index_type, [&]<typename Index>(cuda::Tag<Index>) {
      return cuda::start_kernel(unpool_boxes<T, Index>, boxes, blocks, kThreads,
                                divide_up(boxes.slots * sizeof(Slot<T>), 32) * 32, launch.stream);
    });
  });
  return error != cudaSuccess ? error : run_repair(plan, launch);
}

}  // namespace cairn::max_unpool
