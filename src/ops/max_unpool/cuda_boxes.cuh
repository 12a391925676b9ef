#pragma once

#include "ops/max_unpool/cuda_tiles.cuh"

// The common case of cuda_tiles.cuh's boxes with little left to compute: whole rows, one window deep, no more
// windows than a block takes at once.
namespace cairn::max_unpool {

struct BoxPlan {
  const void* self;
  const void* indices;
  void* out;
  int slabs, rows;    // cells of a box
  int window_rows;    // of a box
  int depth, height;  // cells of a plane
  int row_cells, slab_cells, plane_size;
  int pooled_d, pooled_h, pooled_w;
  int pooled_size;
  cuda::Divider<std::uint32_t> boxes_d, boxes_h;
  int slots;  // of shared memory
  cuda::FaultSink faults;
};

// Where the windows look beyond their box: into the plane, which is left over, or outside.
template <typename Index>
__device__ __noinline__ void look_beyond(const BoxPlan& plan, std::int64_t plane, std::int64_t position,
                                         Index index) {
  if (static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) <
      static_cast<std::uint64_t>(plan.plane_size)) {
    leave_over(plan.faults, plane);
  } else if (index != Index{-1}) {
    cuda::report_fault(plan.faults, position, index, plan.plane_size);
  }
}

// Blocks that a multiprocessor should hold: where a cell has few bytes, hiding latency counts for more than
// registers.
template <typename T>
inline constexpr int kBoxBlocks = sizeof(T) < 4 ? 5 : 4;

template <typename T, typename Index>
__global__ void __launch_bounds__(kThreads, kBoxBlocks<T>)
    unpool_boxes(const __grid_constant__ BoxPlan plan) {
  using UnsignedIndex = std::make_unsigned_t<Index>;
  extern __shared__ uint4 shared[];
  auto* slots = reinterpret_cast<Slot<T>*>(shared);
  cuda::let_next_kernel_come();
  const std::uint32_t column = plan.boxes_h.divide(blockIdx.x);
  const std::int64_t plane = plan.boxes_d.divide(column);
  const int box_h = static_cast<int>(plan.boxes_h.rest(blockIdx.x, column));
  const int box_d = static_cast<int>(plan.boxes_d.rest(column, static_cast<std::uint32_t>(plane)));

  // The windows are a run of the plane's; each thread takes a pack of them.
  const int first = (box_d * plan.pooled_h + box_h * plan.window_rows) * plan.pooled_w;
  const int window_rows =
      box_d < plan.pooled_d ? min(plan.window_rows, plan.pooled_h - box_h * plan.window_rows) : 0;
  const int windows = window_rows * plan.pooled_w;
  const std::int64_t position = plane * plan.pooled_size + first + threadIdx.x;
  const Index* indices = static_cast<const Index*>(plan.indices) + position;
  const T* values = static_cast<const T*>(plan.self) + position;
  cuda::wait_for_kernel_before();
  Index index[kWindows];
  cuda::Pack<T, kWindows> value;
  int number[kWindows];
  // Neighbouring lanes take neighbouring windows: those far apart would share banks of shared memory.
#pragma unroll
  for (int i = 0; i < kWindows; ++i) number[i] = i * kThreads + static_cast<int>(threadIdx.x);
  if (windows == kChunk) {
#pragma unroll
    for (int i = 0; i < kWindows; ++i) {
      index[i] = indices[i * kThreads];
      value.at[i] = values[i * kThreads];
    }
  } else {
#pragma unroll
    for (int i = 0; i < kWindows; ++i) {
      index[i] = cuda::load_if<Index, kNone>(number[i] < windows, indices + i * kThreads);
      value.at[i] = cuda::load_if(number[i] < windows, values + i * kThreads);
    }
  }

  const int words = static_cast<int>(plan.slots * sizeof(Slot<T>) / sizeof(uint4));
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < words; i += kThreads) shared[i] = uint4{};

  const int begin_d = box_d * plan.slabs;
  const int begin_h = box_h * plan.rows;
  const int slabs = min(plan.slabs, plan.depth - begin_d);
  const int run = min(plan.rows, plan.height - begin_h) * plan.row_cells;
  const int origin = begin_d * plan.slab_cells + begin_h * plan.row_cells;
  const auto reach = static_cast<unsigned>(slabs > 0 && run > 0 ? run : 0);
  const auto second_reach = slabs > 1 ? reach : 0U;
  int slot[kWindows];
  bool beyond = false;
#pragma unroll
  for (int i = 0; i < kWindows; ++i) {
    const auto cell = static_cast<unsigned>(index[i]) - static_cast<unsigned>(origin);
    const unsigned second = cell - static_cast<unsigned>(plan.slab_cells);
    slot[i] = -1;
    if (second < second_reach) slot[i] = static_cast<int>(second) + plan.rows * plan.row_cells;
    if (cell < reach) slot[i] = static_cast<int>(cell);
    if (sizeof(Index) > sizeof(int) &&
        static_cast<UnsignedIndex>(index[i]) >= static_cast<UnsignedIndex>(plan.plane_size))
      slot[i] = -1;
    beyond |= (slot[i] < 0) & (index[i] != Index{-1});
  }
  if (beyond) {
#pragma unroll
    for (int i = 0; i < kWindows; ++i)
      if (slot[i] < 0) look_beyond(plan, plane, position + i * kThreads, index[i]);
  }
  fill_slots<T>(slots, slot, number, value);
  __syncthreads();
  T* to = static_cast<T*>(plan.out) + plane * plan.plane_size + origin;
  for (int slab = 0; slab < slabs; ++slab)
    write_run<T>(slots + slab * plan.rows * plan.row_cells, to + slab * plan.slab_cells, run, true);
}

}  // namespace cairn::max_unpool
