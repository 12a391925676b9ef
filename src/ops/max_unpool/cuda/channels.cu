#include <algorithm>
#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/channel_packs.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/repair.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/max_unpool/cuda/methods.h"
#include "ops/max_unpool/cuda/tiling.h"

namespace cairn::max_unpool {
namespace {

// The cells of out are shared out among the windows. A thread has a window of some channels and writes all of
// its cells; a window that has its cell elsewhere leaves the plane to repair.
struct ChannelsPlan {
  const void* self;
  const void* indices;
  void* out;
  cuda::Strides<std::int64_t> self_by, index_by, out_by;
  cuda::Grid<std::uint32_t> grid;
  int items;
  int pooled[3];
  int unpooled[3];
  int cells[3];  // of a window
  std::int64_t c, pooled_size, plane_size;
  std::uint64_t index_limit;
  cuda::FaultSink faults;
};

struct Range {
  int begin, end;
};

// The last window has what is left.
__device__ Range cells_of(const ChannelsPlan& plan, int axis, int window) {
  const int begin = window * plan.cells[axis];
  const bool is_last = window + 1 == plan.pooled[axis];
  return {begin, is_last ? plan.unpooled[axis] : min(begin + plan.cells[axis], plan.unpooled[axis])};
}

template <typename T, typename Index, int Count>
__global__ void __launch_bounds__(kThreads) unpool_channels(const __grid_constant__ ChannelsPlan plan) {
  using UnsignedIndex = std::make_unsigned_t<Index>;
  cuda::let_next_kernel_come();
  const auto item = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (item >= plan.items) return;
  const auto place = plan.grid.place_of<int>(static_cast<std::uint32_t>(item), /*slices_last=*/true);
  const std::int64_t c = place.slice * Count;
  const Range d = cells_of(plan, 0, place.d);
  const Range h = cells_of(plan, 1, place.h);
  const Range w = cells_of(plan, 2, place.w);
  cuda::wait_for_kernel_before();
  const auto index = cuda::load_pack<Index, Count>(
      plan.index_by.slice_of(static_cast<const Index*>(plan.indices), place.n, c) +
      plan.index_by.place(place.d, place.h, place.w));
  const auto value =
      cuda::load_pack<T, Count>(plan.self_by.slice_of(static_cast<const T*>(plan.self), place.n, c) +
                                plan.self_by.place(place.d, place.h, place.w));
  T* out = plan.out_by.slice_of(static_cast<T*>(plan.out), place.n, c);
  unsigned found = 0;
  for (int at_d = d.begin; at_d < d.end; ++at_d) {
    for (int at_h = h.begin; at_h < h.end; ++at_h) {
      const int row = (at_d * plan.unpooled[1] + at_h) * plan.unpooled[2];
      T* to = out + plan.out_by.place(at_d, at_h, w.begin);
      for (int at_w = w.begin; at_w < w.end; ++at_w, to += plan.out_by.w) {
        cuda::Pack<T, Count> pack;
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          const bool is_it = index.at[i] == static_cast<Index>(row + at_w);
          pack.at[i] = is_it ? value.at[i] : T{};
          found |= static_cast<unsigned>(is_it) << i;
        }
        cuda::store_pack(to, pack);
      }
    }
  }
  if (found == (1U << Count) - 1) return;
  for (int i = 0; i < Count; ++i) {
    if ((found >> i & 1U) != 0 || index.at[i] == Index{-1}) continue;
    const std::int64_t plane = place.n * plan.c + c + i;
    if (static_cast<UnsignedIndex>(index.at[i]) < static_cast<UnsignedIndex>(plan.index_limit)) {
      cuda::repairs_of(plan.faults).add(static_cast<std::uint64_t>(plane));
      continue;
    }
    const int window = (place.d * plan.pooled[1] + place.h) * plan.pooled[2] + place.w;
    cuda::report_fault(plan.faults, plane * plan.pooled_size + window, index.at[i], plan.plane_size);
  }
}

bool in_packs(const Plan& plan) {
  const int count = cuda::channels_of_pack(size_of(plan.type));
  return count > 1 && plan.c % count == 0 && cuda::in_channel_packs(plan.self, plan.type, count) &&
         cuda::in_channel_packs(plan.indices, plan.index_type, count) &&
         cuda::in_channel_packs(plan.out, plan.type, count);
}

}  // namespace

const char* why_not_channels(const Plan& plan) {
  if (is_empty(plan)) return "there are no windows";
  if (plan.c == 1 || plan.out.c != 1) return "channels of out are not neighbours";
  if (!cuda::are_narrow({plan.pooled.count(), plan.unpooled.count()}))
    return "a plane is too large for 32-bit coordinates";
  if (plan.n * plan.c * plan.pooled.count() >= INT32_MAX - kThreads) return "too many windows";
  for (const auto& [windows, cells] : {std::pair{plan.pooled.d, plan.unpooled.d},
                                       {plan.pooled.h, plan.unpooled.h},
                                       {plan.pooled.w, plan.unpooled.w}}) {
    const std::int64_t each = AxisSize{windows, cells}.cells_per_window();
    if (each > 8) return "a window has more than 8 cells along an axis";
    if (cells - windows * each > each) return "more cells are left than a window has";
  }
  return nullptr;
}

cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  const bool packs = in_packs(plan);
  const int count = packs ? cuda::channels_of_pack(size_of(plan.type)) : 1;
  const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
  const auto cells = [&](std::int64_t pooled, std::int64_t unpooled) {
    return narrow(AxisSize{pooled, unpooled}.cells_per_window());
  };
  const Size3& pooled = plan.pooled;
  const Size3& unpooled = plan.unpooled;
  ChannelsPlan channels{
      .self = plan.self.data,
      .indices = plan.indices.data,
      .out = plan.out.data,
      .self_by = cuda::strides_of<std::int64_t>(plan.self),
      .index_by = cuda::strides_of<std::int64_t>(plan.indices),
      .out_by = cuda::strides_of<std::int64_t>(plan.out),
      .grid = {plan.c / count, pooled},
      .items = narrow(plan.n * plan.c / count * pooled.count()),
      .pooled = {narrow(pooled.d), narrow(pooled.h), narrow(pooled.w)},
      .unpooled = {narrow(unpooled.d), narrow(unpooled.h), narrow(unpooled.w)},
      .cells = {cells(pooled.d, unpooled.d), cells(pooled.h, unpooled.h), cells(pooled.w, unpooled.w)},
      .c = plan.c,
      .pooled_size = pooled.count(),
      .plane_size = unpooled.count(),
      .index_limit = static_cast<std::uint64_t>(unpooled.count()),
      .faults = cuda::fault_sink(launch)};
  const cudaError_t error = cuda::by_element_size(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_index_type(plan.index_type, [&]<typename Index>(cuda::Tag<Index>) {
      const auto start = [&](auto kernel) {
        return cuda::start_kernel(kernel, channels, cuda::divide_up(channels.items, kThreads), kThreads, 0,
                                  launch.stream);
      };
      constexpr int kPack = cuda::channels_of_pack(sizeof(T));
      if constexpr (kPack > 1) {
        if (packs) return start(unpool_channels<T, Index, kPack>);
      }
      return start(unpool_channels<T, Index, 1>);
    });
  });
  return error != cudaSuccess ? error : run_repair(plan, launch);
}

}  // namespace cairn::max_unpool
