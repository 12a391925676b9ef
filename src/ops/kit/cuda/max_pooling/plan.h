#pragma once

#include <algorithm>

#include "common/data_type.h"
#include "common/view.h"
#include "ops/kit/cuda/max_pooling/window.cuh"
#include "ops/kit/cuda/views.h"

// Max pooling with indices and without: what both families' kernels share. A Plan has the members of
// max_pool::Plan; its indices are null where nobody asks for them.
namespace cairn::max_pooling {

// `slices` of an N, and tiles of so many windows.
template <typename Coord, typename Plan>
PoolPlan<Coord> pool_plan(const Plan& plan, std::int64_t slices, const Size3& tile) {
  const Size3 tiles{cuda::divide_up(plan.out.d, tile.d), cuda::divide_up(plan.out.h, tile.h),
                    cuda::divide_up(plan.out.w, tile.w)};
  PoolPlan<Coord> result{};
  result.self = plan.self.data;
  result.values = plan.values.data;
  result.indices = plan.index_type == DataType::kInt8 ? nullptr : plan.indices.data;
  result.wide_indices = plan.index_type == DataType::kInt64;
  result.any_byte = !is_aligned(plan.indices, size_of(plan.index_type));
  result.axes = cuda::window_axes<Coord>(plan);
  result.from = cuda::strides_of<Coord>(plan.self);
  result.to = cuda::strides_of<Coord>(plan.values);
  result.index_to = cuda::strides_of<Coord>(plan.indices);
  result.items = static_cast<Coord>(plan.n * slices * tiles.count());
  result.grid = {slices, tiles};
  result.slab_step = static_cast<int>(plan.in.h * plan.in.w);
  result.march = static_cast<int>(tile.d);
  return result;
}

// Whether int coordinates hold everything that kernels compute.
template <typename Plan>
bool fits_int(const Plan& plan) {
  using cuda::are_narrow;
  using cuda::is_narrow;
  const auto reach = [](std::int64_t out, std::int64_t stride) {
    return std::min(stride, cuda::kNarrow) * out;
  };
  return is_narrow(plan.self, plan.in) && is_narrow(plan.values, plan.out) &&
         is_narrow(plan.indices, plan.out) && is_narrow(plan.kernel) && is_narrow(plan.padding) &&
         is_narrow(plan.dilation) &&
         are_narrow({plan.in.d * plan.in.h, plan.in.count(), reach(plan.out.d, plan.stride.d),
                     reach(plan.out.h, plan.stride.h), reach(plan.out.w, plan.stride.w), plan.n * plan.c}) &&
         plan.n * plan.c * plan.out.count() < INT32_MAX - kThreads;
}

// What speaks against every kernel but the one for windows of any shape.
template <typename Plan>
const char* why_not_dense(const Plan& plan) {
  if (plan.type == DataType::kDouble) return "elements are DOUBLE";
  if (plan.index_type == DataType::kInt8) return "indices are a mask of ones";
  if (!is_aligned(plan.indices, size_of(plan.index_type))) return "indices begin at an odd byte";
  if (plan.n * plan.c * plan.out.count() == 0) return "no windows";
  if (!fits_int(plan)) return "needs 64-bit coordinates";
  if (plan.in.count() == 0) return "no cells";
  if (!cuda::window_axes<std::int64_t>(plan).are_dense()) return "dilation";
  return nullptr;
}

// Whether a half has room for the offsets of a window's taps in a slab, over so many rows: there a word holds
// two of them, as it holds two values.
template <typename Plan>
bool offsets_fit(const Plan& plan, std::int64_t rows) {
  return plan.indices.data == nullptr || size_of(plan.type) != 2 ||
         (rows < 1 << 16 && rows * plan.in.w < 1 << 16);
}

inline bool channels_in_packs(std::int64_t channels, const View5& view, int element) {
  return view.c == 1 &&
         cuda::in_packs(view.data, element, kChannels, {channels, view.n, view.d, view.h, view.w});
}

template <typename Plan>
const char* why_not_packs_of_channels(const Plan& plan) {
  if (const char* reason = why_not_dense(plan)) return reason;
  const View5& to = plan.values;
  const View5& index_to = plan.indices;
  if (plan.c == 1 || !channels_in_packs(plan.c, plan.self, size_of(plan.type)) ||
      !channels_in_packs(plan.c, to, size_of(plan.type)) ||
      !channels_in_packs(plan.c, index_to, size_of(plan.index_type)))
    return "channels do not lie in packs";
  if (to.d != index_to.d || to.h != index_to.h || to.w != index_to.w)
    return "values and indices differ in layout";
  if (!offsets_fit(plan, plan.kernel.h) || (size_of(plan.type) == 2 && plan.kernel.d >= 1 << 16))
    return "16 bits do not hold the offsets in a window";
  return nullptr;
}

template <typename Plan>
const char* why_not_rows(const Plan& plan) {
  if (const char* reason = why_not_dense(plan)) return reason;
  if (plan.self.w != 1 || plan.values.w != 1 || plan.indices.w != 1)
    return "neighbours along W do not adjoin";
  if (plan.values.d != plan.indices.d || plan.values.h != plan.indices.h)
    return "values and indices differ in layout";
  return nullptr;
}

}  // namespace cairn::max_pooling
