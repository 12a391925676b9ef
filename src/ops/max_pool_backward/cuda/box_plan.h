#pragma once

#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "ops/max_pool_backward/cuda/boxes.h"
#include "ops/max_pool_backward/cuda/geometry.h"
#include "ops/max_pool_backward/cuda/warps.cuh"

namespace cairn::max_pool_backward {

inline constexpr std::int64_t kBoxRoom = 2304;  // sums of a warp

// The box of at most `room` cells, `width` wide, whose windows are visited least.
inline Size3 best_box(const Axes& axes, std::int64_t width, std::int64_t room) {
  const std::int64_t rows = std::max<std::int64_t>(room / width, 1);
  Size3 best{1, 1, width};
  std::int64_t least = INT64_MAX;
  for (std::int64_t depth = 1; depth <= rows; depth += std::max<std::int64_t>(depth / 4, 1)) {
    const std::int64_t d = axes.d.even_box(depth);
    const std::int64_t h = axes.h.even_box(std::max<std::int64_t>(rows / d, 1));
    const std::int64_t visits = axes.d.visits(d) * axes.h.visits(h);
    if (visits < least) {
      least = visits;
      best = {d, h, width};
    }
    if (depth >= axes.d.in) break;
  }
  return best;
}

// How many elements one store may always take: `runs` are the lengths and steps that every store starts from.
inline int pack_of(const View5& to, int element, std::initializer_list<std::int64_t> runs) {
  std::int64_t common = 16 / element;
  const auto address = reinterpret_cast<std::uintptr_t>(to.data) / static_cast<unsigned>(element);
  common = std::gcd(common, static_cast<std::int64_t>(address % 16));
  for (const std::int64_t run : runs) common = std::gcd(common, run);
  return static_cast<int>(common);
}

template <typename Coord>
BoxAxis<Coord> box_axis(const AxisSize& axis, std::int64_t box) {
  BoxAxis<Coord> result;
  result.in = static_cast<Coord>(axis.in);
  result.out = static_cast<Coord>(axis.out);
  result.stride = static_cast<Coord>(axis.stride);
  result.padding = static_cast<Coord>(axis.padding);
  result.extent = static_cast<Coord>(axis.extent);
  result.box = static_cast<Coord>(box);
  result.boxes = static_cast<Coord>(axis.boxes(box));
  result.by_stride = decltype(result.by_stride)(axis.stride);
  return result;
}

template <typename Coord>
BoxPlan<Coord> box_plan(const Plan& plan, const Axes& axes, const Size3& box, std::int64_t slices,
                        const cuda::CudaLaunch& launch) {
  using Unsigned = std::make_unsigned_t<Coord>;
  const Size3 boxes{axes.d.boxes(box.d), axes.h.boxes(box.h), axes.w.boxes(box.w)};
  BoxPlan<Coord> result{};
  result.grad_output = plan.grad_output.data;
  result.indices = plan.indices.data;
  result.grad_input = plan.grad_input.data;
  result.d = box_axis<Coord>(axes.d, box.d);
  result.h = box_axis<Coord>(axes.h, box.h);
  result.w = box_axis<Coord>(axes.w, box.w);
  result.height = cuda::Divider<Unsigned>(std::max<std::int64_t>(plan.in.h, 1));
  result.width = cuda::Divider<Unsigned>(std::max<std::int64_t>(plan.in.w, 1));
  result.index_limit = static_cast<std::uint64_t>(plan.in.count());
  if (plan.index_type == DataType::kInt32)
    result.index_limit = std::min<std::uint64_t>(result.index_limit, std::uint64_t{1} << 31);
  result.c = static_cast<std::uint64_t>(plan.c);
  result.items = static_cast<std::uint64_t>(plan.n * slices * boxes.count());
  result.grid = {slices, boxes};
  result.output_strides = cuda::strides_of<Coord>(plan.grad_output);
  result.index_strides = cuda::strides_of<Coord>(plan.indices);
  result.input_strides = cuda::strides_of<std::int64_t>(plan.grad_input);
  result.repairs = cuda::repairs_of(launch);
  return result;
}

}  // namespace cairn::max_pool_backward
