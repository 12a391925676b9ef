#pragma once

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/fault.cuh"
#include "ops/kit/cuda/repair.cuh"
#include "ops/kit/cuda/strides.h"
#include "ops/max_pool_backward/cuda/warps.cuh"

// Indices that may point anywhere: a warp owns a run of a plane's cells and looks at all windows of the
// plane. Alone for small planes; after the other kernels for the planes that need repair.
namespace cairn::max_pool_backward {

template <typename Coord>
struct AnywherePlan {
  const void* grad_output;
  const void* indices;
  void* grad_input;
  cuda::Strides<std::int64_t> output_strides;
  cuda::Strides<std::int64_t> index_strides;
  cuda::Strides<std::int64_t> input_strides;
  cuda::Divider<std::make_unsigned_t<Coord>> in_h;
  cuda::Divider<std::make_unsigned_t<Coord>> in_w;
  cuda::Divider<std::make_unsigned_t<Coord>> out_h;
  cuda::Divider<std::make_unsigned_t<Coord>> out_w;
  cuda::Divider<std::uint64_t> by_runs;
  cuda::Divider<std::uint64_t> by_c;
  Coord plane_size;  // cells
  Coord windows;
  std::uint64_t items;  // runs of all planes
  bool channels_last;
  bool only_repairs;  // of planes that the kernel before left
  bool any_byte;      // indices begin at an odd byte
  cuda::Repairs repairs;
  cuda::FaultSink faults;
};

inline constexpr int kRun = 1024;  // cells

// An index that may begin at any byte.
template <typename Index>
__device__ Index load_bytes(const Index* from) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(from);
  std::make_unsigned_t<Index> index = 0;
  for (int i = 0; i < static_cast<int>(sizeof(Index)); ++i)
    index |= static_cast<std::make_unsigned_t<Index>>(bytes[i]) << 8 * i;
  return static_cast<Index>(index);
}

// Adds the lanes' values to the sums in their slots, in the order of the lanes; below 0 nothing is added. Any
// lanes may share a slot.
template <typename Sum>
__device__ void add_anywhere_in_order(Sum* sums, int slot, Sum value) {
  const int lane = threadIdx.x % kWarp;
  if (!__any_sync(kAllLanes, slot >= 0)) return;
  const unsigned sharing = __match_any_sync(kAllLanes, slot >= 0 ? slot : -1 - lane);
  const int rank = __popc(sharing & ((1U << lane) - 1));
  const int last = __reduce_max_sync(kAllLanes, rank);
  for (int turn = 0; turn <= last; ++turn) {
    if (slot >= 0 && rank == turn) sums[slot] += value;
    __syncwarp();
  }
}

// Adds to the sums of a run of cells, which start at 0, in one warp. tell(window, index) hears of the first
// index outside the plane that each lane meets, from the run that begins the plane.
template <typename Coord, typename Sum, typename IndexAt, typename ValueAt, typename Tell>
__device__ void add_anywhere(Sum* sums, Coord begin, int length, Coord windows, Coord plane_size,
                             const IndexAt& index_at, const ValueAt& value_at, const Tell& tell) {
  const int lane = threadIdx.x % kWarp;
  for (int i = lane; i < length; i += kWarp) sums[i] = Sum{0};
  __syncwarp();
  bool faulty = false;
  for (Coord first = 0; first < windows; first += kWarp) {
    const Coord window = first + lane;
    const std::int64_t index = window < windows ? index_at(window) : -1;
    // It may wrap around where the index lies before the run.
    const auto slot =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(index) - static_cast<std::uint64_t>(begin));
    const bool mine = index >= begin && slot < length;
    const Sum value = mine ? value_at(window) : Sum{0};
    if (begin == 0 && !faulty && (index < -1 || index >= plane_size)) {
      faulty = true;  // a lane's first is its smallest
      tell(window, index);
    }
    __syncwarp();
    add_anywhere_in_order(sums, mine ? static_cast<int>(slot) : -1, value);
  }
}

template <typename T, typename Index, typename Coord>
__global__ void __launch_bounds__(kThreads)
    scatter_anywhere(const __grid_constant__ AnywherePlan<Coord> plan) {
  using Unsigned = std::make_unsigned_t<Coord>;
  __shared__ cuda::Sum<T> shared[kWarpsPerBlock][kRun];
  cuda::let_next_kernel_come();
  cuda::wait_for_kernel_before();
  if (plan.only_repairs && !plan.repairs.any()) return;
  const int lane = threadIdx.x % kWarp;
  cuda::Sum<T>* sums = shared[threadIdx.x / kWarp];

  const std::uint64_t warps = std::uint64_t{gridDim.x} * kWarpsPerBlock;
  for (std::uint64_t item = std::uint64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarp;
       item < plan.items; item += warps) {
    const std::uint64_t plane = plan.by_runs.divide(item);
    if (plan.only_repairs && !plan.repairs.has(plane)) continue;
    const auto begin = static_cast<Coord>(item - plane * plan.by_runs.divisor()) * kRun;
    const int length = static_cast<int>(min(plan.plane_size - begin, static_cast<Coord>(kRun)));
    const auto n = static_cast<std::int64_t>(plan.by_c.divide(plane));
    const auto c = static_cast<std::int64_t>(plane) - n * static_cast<std::int64_t>(plan.by_c.divisor());
    const T* values = plan.output_strides.slice_of(static_cast<const T*>(plan.grad_output), n, c);
    const Index* indices = plan.index_strides.slice_of(static_cast<const Index*>(plan.indices), n, c);
    T* to = plan.input_strides.slice_of(static_cast<T*>(plan.grad_input), n, c);
    add_anywhere<Coord>(
        sums, begin, length, plan.windows, plan.plane_size,
        [&](Coord window) -> std::int64_t {
          const Index* from =
              indices + cuda::flat_place<Unsigned>(plan.index_strides, window, plan.out_h, plan.out_w);
          return plan.any_byte ? load_bytes(from) : *from;
        },
        [&](Coord window) {
          return cuda::widen(
              values[cuda::flat_place<Unsigned>(plan.output_strides, window, plan.out_h, plan.out_w)]);
        },
        [&](Coord window, std::int64_t index) {
          const std::int64_t position =
              plan.channels_last
                  ? (n * plan.windows + window) * static_cast<std::int64_t>(plan.by_c.divisor()) + c
                  : static_cast<std::int64_t>(plane) * plan.windows + window;
          cuda::report_fault(plan.faults, position, index, plan.plane_size);
        });
    for (int i = lane; i < length; i += kWarp) {
      to[cuda::flat_place<Unsigned>(plan.input_strides, begin + i, plan.in_h, plan.in_w)] =
          cuda::narrow<T>(sums[i]);
    }
    __syncwarp();
  }
}

}  // namespace cairn::max_pool_backward
