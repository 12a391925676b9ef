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
constexpr int kMostEach = 2;  // items of a thread

struct ChannelsPlan {
  const void* self;
  const void* indices;
  void* out;
  cuda::Strides<int> self_by, index_by, out_by;
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

// A window that has its cell elsewhere.
template <typename Index>
__device__ void look_elsewhere(const ChannelsPlan& plan, const cuda::Place<int>& place, std::int64_t c,
                               Index index) {
  using UnsignedIndex = std::make_unsigned_t<Index>;
  const std::int64_t plane = place.n * plan.c + c;
  if (static_cast<UnsignedIndex>(index) < static_cast<UnsignedIndex>(plan.index_limit)) {
    cuda::repairs_of(plan.faults).add(static_cast<std::uint64_t>(plane));
    return;
  }
  const int window = (place.d * plan.pooled[1] + place.h) * plan.pooled[2] + place.w;
  cuda::report_fault(plan.faults, plane * plan.pooled_size + window, index, plan.plane_size);
}

// In 32 bits, in which no cell has the number of an index outside.
template <typename Index>
__device__ unsigned as_cell(Index index) {
  if constexpr (sizeof(Index) > sizeof(unsigned)) {
    if (static_cast<std::make_unsigned_t<Index>>(index) >> 32 != 0) return UINT32_MAX;
  }
  return static_cast<unsigned>(index);
}

template <typename T, typename Index, int Count>
__device__ void write_cells(const ChannelsPlan& plan, const cuda::Place<int>& place,
                            const cuda::Pack<Index, Count>& index, const cuda::Pack<T, Count>& value) {
  const std::int64_t c = place.slice * Count;
  const Range d = cells_of(plan, 0, place.d);
  const Range h = cells_of(plan, 1, place.h);
  const Range w = cells_of(plan, 2, place.w);
  T* out = plan.out_by.slice_of(static_cast<T*>(plan.out), place.n, c);
  unsigned cells[Count];
#pragma unroll
  for (int i = 0; i < Count; ++i) cells[i] = as_cell(index.at[i]);
  unsigned found = 0;
  for (int at_d = d.begin; at_d < d.end; ++at_d) {
    for (int at_h = h.begin; at_h < h.end; ++at_h) {
      const int row = (at_d * plan.unpooled[1] + at_h) * plan.unpooled[2];
      T* to = out + plan.out_by.place(at_d, at_h, w.begin);
      for (int at_w = w.begin; at_w < w.end; ++at_w, to += plan.out_by.w) {
        cuda::Pack<T, Count> pack;
#pragma unroll
        for (int i = 0; i < Count; ++i) {
          const bool is_it = cells[i] == static_cast<unsigned>(row + at_w);
          pack.at[i] = is_it ? value.at[i] : T{};
          found |= static_cast<unsigned>(is_it) << i;
        }
        // Of a plain store the compiler may make several.
        typename cuda::WordsOf<sizeof(pack)>::Type words;
        memcpy(&words, &pack, sizeof(pack));
        __stwb(reinterpret_cast<decltype(words)*>(to), words);
      }
    }
  }
  if (found == (1U << Count) - 1) return;
  for (int i = 0; i < Count; ++i) {
    if ((found >> i & 1U) == 0 && index.at[i] != Index{-1}) look_elsewhere(plan, place, c + i, index.at[i]);
  }
}

// A thread has the windows of several items on their way before it looks at the first.
template <typename T, typename Index, int Count, int Each>
__global__ void __launch_bounds__(kThreads) unpool_channels(const __grid_constant__ ChannelsPlan plan) {
  cuda::let_next_kernel_come();
  const auto begin = static_cast<int>(blockIdx.x * (kThreads * Each) + threadIdx.x);
  const auto place_of = [&plan](int item) {
    return plan.grid.template place_of<int>(static_cast<std::uint32_t>(item), /*slices_last=*/true);
  };
  cuda::wait_for_kernel_before();
  const Index* indices = cuda::keep(static_cast<const Index*>(plan.indices));
  const T* self = cuda::keep(static_cast<const T*>(plan.self));
  cuda::Pack<Index, Count> index[Each];
  cuda::Pack<T, Count> value[Each];
#pragma unroll
  for (int i = 0; i < Each; ++i) {
    const int item = begin + i * kThreads;
    const auto at = place_of(item);
    const bool there = item < plan.items;
    const std::int64_t c = at.slice * Count;
    index[i] = cuda::load_pack_if<Index, Count>(
        there, plan.index_by.slice_of(indices, at.n, c) + plan.index_by.place(at.d, at.h, at.w));
    value[i] = cuda::load_pack_if<T, Count>(
        there, plan.self_by.slice_of(self, at.n, c) + plan.self_by.place(at.d, at.h, at.w));
  }
#pragma unroll
  for (int i = 0; i < Each; ++i) {
    const int item = begin + i * kThreads;
    if (item >= plan.items) return;
    write_cells(plan, place_of(item), index[i], value[i]);
  }
}

bool in_packs(const Plan& plan) {
  const int count = cuda::channels_of_pack(size_of(plan.type));
  return count > 1 && plan.c % count == 0 && cuda::in_channel_packs(plan.self, plan.type, count) &&
         cuda::in_channel_packs(plan.indices, plan.index_type, count) &&
         cuda::in_channel_packs(plan.out, plan.type, count);
}

ChannelsPlan channels_plan(const Plan& plan, int count, const cuda::CudaLaunch& launch) {
  const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
  const auto cells = [&](std::int64_t pooled, std::int64_t unpooled) {
    return narrow(AxisSize{pooled, unpooled}.cells_per_window());
  };
  const Size3& pooled = plan.pooled;
  const Size3& unpooled = plan.unpooled;
  return {.self = plan.self.data,
          .indices = plan.indices.data,
          .out = plan.out.data,
          .self_by = cuda::strides_of<int>(plan.self),
          .index_by = cuda::strides_of<int>(plan.indices),
          .out_by = cuda::strides_of<int>(plan.out),
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
}

template <typename T, typename Index, int Count, int Each>
cudaError_t start(const Plan& plan, const cuda::CudaLaunch& launch) {
  static_assert(Each <= kMostEach);
  const ChannelsPlan channels = channels_plan(plan, Count, launch);
  return cuda::start_kernel(unpool_channels<T, Index, Count, Each>, channels,
                            cuda::divide_up(channels.items, kThreads * Each), kThreads, 0, launch.stream);
}

}  // namespace

const char* why_not_channels(const Plan& plan) {
  if (is_empty(plan)) return "there are no windows";
  if (plan.c == 1 || plan.out.c != 1) return "channels of out are not neighbours";
  if (!cuda::are_narrow({plan.pooled.count(), plan.unpooled.count()}) ||
      !cuda::is_narrow(plan.self, plan.pooled) || !cuda::is_narrow(plan.indices, plan.pooled) ||
      !cuda::is_narrow(plan.out, plan.unpooled))
    return "a plane is too large for 32-bit coordinates";
  if (plan.n * plan.c * plan.pooled.count() >= INT32_MAX - kThreads * kMostEach) return "too many windows";
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
  const cudaError_t error = cuda::by_element_size(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_index_type(plan.index_type, [&]<typename Index>(cuda::Tag<Index>) {
      constexpr int kPack = cuda::channels_of_pack(sizeof(T));
      if constexpr (kPack > 1) {
        if (in_packs(plan)) return start<T, Index, kPack, 2>(plan, launch);
      }
      return start<T, Index, 1, 1>(plan, launch);
    });
  });
  return error != cudaSuccess ? error : run_repair(plan, launch);
}

}  // namespace cairn::max_unpool
