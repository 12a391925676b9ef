#include <algorithm>
#include <type_traits>

#include "ops/kit/cuda/channel_packs.h"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/max_unpool_backward/cuda/gather.cuh"
#include "ops/max_unpool_backward/cuda/methods.h"

namespace cairn::max_unpool_backward {
namespace {

struct ChannelsPlan {
  const void* grad_output;
  const void* indices;
  void* out;
  cuda::Strides<std::int64_t> from_by, index_by, out_by;
  cuda::Grid<std::uint32_t> grid;
  int items;
  int pooled_h, pooled_w;
  cuda::Divider<std::uint32_t> plane_h, plane_w;
  std::int64_t c, pooled_size, plane_size;
  cuda::FaultSink faults;
};

// A thread has a window of some channels; neighbours in a warp have neighbouring channels.
template <typename T, typename Index, int Count>
__global__ void __launch_bounds__(kThreads) gather_channels(const __grid_constant__ ChannelsPlan plan) {
  using UnsignedIndex = std::make_unsigned_t<Index>;
  cuda::let_next_kernel_come();
  const auto item = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (item >= plan.items) return;
  const auto place = plan.grid.place_of<int>(static_cast<std::uint32_t>(item), /*slices_last=*/true);
  const std::int64_t c = place.slice * Count;
  cuda::wait_for_kernel_before();
  const auto index = cuda::load_pack<Index, Count>(
      plan.index_by.slice_of(static_cast<const Index*>(plan.indices), place.n, c) +
      plan.index_by.place(place.d, place.h, place.w));
  const T* from = plan.from_by.slice_of(static_cast<const T*>(plan.grad_output), place.n, c);
  cuda::Pack<T, Count> found;
  bool outside = false;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    found.at[i] = T{};
    if (static_cast<UnsignedIndex>(index.at[i]) < static_cast<UnsignedIndex>(plan.plane_size)) {
      const auto at = static_cast<std::uint32_t>(index.at[i]);
      const std::uint32_t row = plan.plane_w.divide(at);
      const std::uint32_t d = plan.plane_h.divide(row);
      found.at[i] =
          from[i * plan.from_by.c + d * plan.from_by.d + plan.plane_h.rest(row, d) * plan.from_by.h +
               plan.plane_w.rest(at, row) * plan.from_by.w];
    } else {
      outside |= index.at[i] != Index{-1};
    }
  }
  cuda::store_pack(plan.out_by.slice_of(static_cast<T*>(plan.out), place.n, c) +
                       plan.out_by.place(place.d, place.h, place.w),
                   found);
  if (!outside) return;
  const int window = (place.d * plan.pooled_h + place.h) * plan.pooled_w + place.w;
  for (int i = 0; i < Count; ++i) {
    if (static_cast<UnsignedIndex>(index.at[i]) < static_cast<UnsignedIndex>(plan.plane_size) ||
        index.at[i] == Index{-1})
      continue;
    const std::int64_t plane = place.n * plan.c + c + i;
    cuda::report_fault(plan.faults, plane * plan.pooled_size + window, index.at[i], plan.plane_size);
  }
}

bool in_packs(const Plan& plan) {
  const int count = cuda::channels_of_pack(size_of(plan.type));
  return count > 1 && plan.c % count == 0 && cuda::in_channel_packs(plan.indices, plan.index_type, count) &&
         cuda::in_channel_packs(plan.out, plan.type, count);
}

}  // namespace

const char* why_not_channels(const Plan& plan) {
  if (plan.out_type != plan.type) return "out has another type";
  if (plan.n * plan.c * plan.pooled.count() == 0) return "there is nothing to gather";
  if (plan.c == 1 || plan.out.c != 1) return "channels of out are not neighbours";
  if (!cuda::are_narrow({plan.pooled.count(), plan.unpooled.count()}))
    return "a plane is too large for 32-bit coordinates";
  return plan.n * plan.c * plan.pooled.count() < INT32_MAX - kThreads ? nullptr : "too many windows";
}

cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  const bool packs = in_packs(plan);
  const int count = packs ? cuda::channels_of_pack(size_of(plan.type)) : 1;
  const auto divider = [](std::int64_t size) {
    return cuda::Divider<std::uint32_t>(std::max<std::int64_t>(size, 1));
  };
  const ChannelsPlan channels{.grad_output = plan.grad_output.data,
                              .indices = plan.indices.data,
                              .out = plan.out.data,
                              .from_by = cuda::strides_of<std::int64_t>(plan.grad_output),
                              .index_by = cuda::strides_of<std::int64_t>(plan.indices),
                              .out_by = cuda::strides_of<std::int64_t>(plan.out),
                              .grid = {plan.c / count, plan.pooled},
                              .items = static_cast<int>(plan.n * plan.c / count * plan.pooled.count()),
                              .pooled_h = static_cast<int>(plan.pooled.h),
                              .pooled_w = static_cast<int>(plan.pooled.w),
                              .plane_h = divider(plan.unpooled.h),
                              .plane_w = divider(plan.unpooled.w),
                              .c = plan.c,
                              .pooled_size = plan.pooled.count(),
                              .plane_size = plan.unpooled.count(),
                              .faults = cuda::fault_sink(launch)};
  return cuda::by_element_size(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_index_type(plan.index_type, [&]<typename Index>(cuda::Tag<Index>) {
      const auto start = [&](auto kernel) {
        return cuda::start_kernel(kernel, channels, cuda::divide_up(channels.items, kThreads), kThreads, 0,
                                  launch.stream);
      };
      constexpr int kPack = cuda::channels_of_pack(sizeof(T));
      if constexpr (kPack > 1) {
        if (packs) return start(gather_channels<T, Index, kPack>);
      }
      return start(gather_channels<T, Index, 1>);
    });
  });
}

}  // namespace cairn::max_unpool_backward
