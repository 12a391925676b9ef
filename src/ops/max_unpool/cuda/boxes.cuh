#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/repair.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/max_unpool/cuda/slots.cuh"

// The common case of tiles with little left to compute: whole rows, one window deep or whole slabs, no more
// windows than a block takes at once.
namespace cairn::max_unpool {

struct BoxPlan {
  const void* self;
  const void* indices;
  void* out;
  int slabs, rows;                // cells of a box
  int window_slabs, window_rows;  // windows of a box
  bool whole_slabs;               // a box is one run of cells
  int depth, height;              // cells of a plane
  int row_cells, slab_cells, plane_size;
  int pooled_d, pooled_h, pooled_w;
  int pooled_size;
  // The cells that a window has for itself, where windows do not overlap: how far they are from those of the
  // window before it, and from the first of them to its second row and slab, if there is one.
  int own_w, own_row, own_slab;
  unsigned second_row, second_slab;
  // From a thread's window to its next, where that is always the same and no window has fewer cells than
  // others; else 0.
  int own_step;
  cuda::Divider<std::uint32_t> boxes_d, boxes_h;
  cuda::Divider<std::uint32_t> by_window_w, by_window_h;
  int slots;    // of shared memory
  bool halves;  // rows lie in packs of 8 bytes, not 16
  cuda::FaultSink faults;
};

// Where a window looks beyond its box: into the plane, which then needs repair, or outside.
template <typename Index>
__device__ __noinline__ void look_beyond(const BoxPlan& plan, std::int64_t plane, std::int64_t position) {
  const Index index = static_cast<const Index*>(plan.indices)[position];
  if (static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) <
      static_cast<std::uint64_t>(plan.plane_size)) {
    cuda::repairs_of(plan.faults).add(static_cast<std::uint64_t>(plane));
  } else if (index != Index{-1}) {
    cuda::report_fault(plan.faults, position, index, plan.plane_size);
  }
}

// Where the cells begin that a window has for itself.
struct OwnCells {
  unsigned first;   // slot
  unsigned row, w;  // of the first, in cells from the slab's and the row's begin

  __device__ static OwnCells of(const BoxPlan& plan, int number) {
    const auto window = static_cast<unsigned>(number);
    unsigned row = plan.by_window_w.divide(window);
    const unsigned w = plan.by_window_w.rest(window, row) * plan.own_w;
    unsigned slab = 0;
    if (plan.window_slabs > 1) {
      slab = plan.by_window_h.divide(row);
      row = plan.by_window_h.rest(row, slab);
    }
    return {slab * plan.own_slab + row * plan.own_row + w, row * plan.own_row, w};
  }
};

// Whether the cell in this slot is one that the window has for itself: then no other such window has it.
__device__ inline bool is_own(const BoxPlan& plan, int slot, unsigned first) {
  // The smaller is the one that did not pass below 0.
  unsigned column = static_cast<unsigned>(slot) - first;
  column = min(column, column - plan.second_slab);
  return min(column, column - plan.second_row) < static_cast<unsigned>(plan.own_w);
}

// The same where rows and columns of windows may end before their cells do.
__device__ inline bool is_own_in_box(const BoxPlan& plan, int slot, const OwnCells& own) {
  unsigned column = static_cast<unsigned>(slot) - own.first;
  column = min(column, column - plan.second_slab);
  const unsigned second = column - plan.second_row;
  const unsigned row = second < column ? own.row + plan.second_row : own.row;
  column = min(column, second);
  return (column < static_cast<unsigned>(plan.own_w)) &
         (own.w + column < static_cast<unsigned>(plan.row_cells)) &
         (row < static_cast<unsigned>(plan.rows * plan.row_cells));
}

// Slots of one byte have no room for a window's number: it lies in a table twice as large.
template <typename T>
__device__ __noinline__ int4 keep_last_of_box(uint4* shared, int words, int4 slots) {
  static_assert(kWindows == 4);
  const int thread = static_cast<int>(threadIdx.x);
  int slot[kWindows] = {slots.x, slots.y, slots.z, slots.w};
  int number[kWindows];
#pragma unroll
  for (int i = 0; i < kWindows; ++i) number[i] = i * kThreads + thread;
  if constexpr (sizeof(T) == 1) {
    for (int i = words + thread; i < 2 * words; i += kThreads) shared[i] = uint4{};
    __syncthreads();
  }
  keep_last(Owners<sizeof(Slot<T>)>(shared), slot, number, true);
  if constexpr (sizeof(T) == 1) {
    for (int i = thread; i < words; i += kThreads) shared[i] = uint4{};
    __syncthreads();
  }
  return {slot[0], slot[1], slot[2], slot[3]};
}

template <int Count, typename T>
__device__ void write_box(const BoxPlan& plan, const T* cells, T* to, int slabs, int run) {
  if (plan.whole_slabs) return write_run<T, T, Count>(cells, to, slabs * run, true);
  for (int slab = 0; slab < slabs; ++slab)
    write_run<T, T, Count>(cells + slab * plan.rows * plan.row_cells, to + slab * plan.slab_cells, run, true);
}

// Blocks that a multiprocessor should hold: where a cell has few bytes, hiding latency counts for more than
// registers.
template <typename T>
inline constexpr int kBoxBlocks = sizeof(T) < 4 ? 5 : 4;

// The box of a block: its number along each axis.
struct Box {
  std::int64_t plane;
  int h, d;

  __device__ static Box of(const BoxPlan& plan) {
    const std::uint32_t column = plan.boxes_h.divide(blockIdx.x);
    const std::uint32_t plane = plan.boxes_d.divide(column);
    return {plane, static_cast<int>(plan.boxes_h.rest(blockIdx.x, column)),
            static_cast<int>(plan.boxes_d.rest(column, plane))};
  }
};

// The windows over a box are a run of the plane's. Neighbouring lanes take neighbouring windows: those far
// apart would share banks of shared memory.
struct BoxWindows {
  int count;
  std::int64_t position;  // of the thread's first

  __device__ static BoxWindows of(const BoxPlan& plan, const Box& box) {
    const int window_d = box.d * plan.window_slabs;
    const int window_h = box.h * plan.window_rows;
    const int first = (window_d * plan.pooled_h + window_h) * plan.pooled_w;
    const int count = max(min(plan.window_slabs, plan.pooled_d - window_d), 0) *
                      min(plan.window_rows, plan.pooled_h - window_h) * plan.pooled_w;
    return {count, box.plane * plan.pooled_size + first + threadIdx.x};
  }
  __device__ static int number(int i) { return i * kThreads + static_cast<int>(threadIdx.x); }

  template <typename Index, typename T>
  __device__ void load(const Index* indices, const T* values, Index (&index)[kWindows],
                       T (&value)[kWindows]) const {
    if (count == kChunk) {
#pragma unroll
      for (int i = 0; i < kWindows; ++i) {
        index[i] = indices[i * kThreads];
        value[i] = values[i * kThreads];
      }
    } else {
#pragma unroll
      for (int i = 0; i < kWindows; ++i) {
        index[i] = cuda::load_if<Index, kNone>(number(i) < count, indices + i * kThreads);
        value[i] = cuda::load_if(number(i) < count, values + i * kThreads);
      }
    }
  }
};

// The cells of a box: one run of the plane's, or one in each slab.
struct BoxCells {
  int slabs, run;
  int origin;
  unsigned reach, second_reach;

  __device__ static BoxCells of(const BoxPlan& plan, const Box& box) {
    const int begin_d = box.d * plan.slabs;
    const int begin_h = box.h * plan.rows;
    const int slabs = max(min(plan.slabs, plan.depth - begin_d), 0);
    const int run = max(min(plan.rows, plan.height - begin_h), 0) * plan.row_cells;
    return {slabs, run, begin_d * plan.slab_cells + begin_h * plan.row_cells,
            static_cast<unsigned>(plan.whole_slabs ? slabs * run
                                  : slabs > 0      ? run
                                                   : 0),
            static_cast<unsigned>(!plan.whole_slabs && slabs > 1 ? run : 0)};
  }
  // -1 where the index is not of this box.
  template <typename Index>
  __device__ int slot_of(const BoxPlan& plan, Index index) const {
    const unsigned cell = static_cast<unsigned>(index) - static_cast<unsigned>(origin);
    const unsigned second = cell - static_cast<unsigned>(plan.slab_cells);
    int slot = -1;
    if (second < second_reach) slot = static_cast<int>(second) + plan.rows * plan.row_cells;
    if (cell < reach) slot = static_cast<int>(cell);
    if constexpr (sizeof(Index) > sizeof(int)) {
      if (static_cast<std::make_unsigned_t<Index>>(index) >> 32 != 0) slot = -1;
    }
    return slot;
  }
};

template <typename T, typename Index>
__global__ void __launch_bounds__(kThreads, kBoxBlocks<T>)
    unpool_boxes(const __grid_constant__ BoxPlan plan) {
  CAIRN_SHARED_MEMORY(uint4, shared);
  cuda::let_next_kernel_come();
  const Box box = Box::of(plan);
  const BoxWindows windows = BoxWindows::of(plan, box);
  const Index* indices = static_cast<const Index*>(plan.indices) + windows.position;
  const T* values = static_cast<const T*>(plan.self) + windows.position;
  cuda::wait_for_kernel_before();
  Index index[kWindows];
  T value[kWindows];
  windows.load(indices, values, index, value);

  const int words = static_cast<int>((plan.slots * sizeof(T) + sizeof(uint4) - 1) / sizeof(uint4));
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x); i < words; i += kThreads) shared[i] = uint4{};

  const BoxCells cells = BoxCells::of(plan, box);
  const OwnCells own = OwnCells::of(plan, BoxWindows::number(0));
  int slot[kWindows];
  bool beyond = false;
  bool shared_cells = false;
#pragma unroll
  for (int i = 0; i < kWindows; ++i) {
    slot[i] = cells.slot_of(plan, index[i]);
    beyond |= slot[i] < 0;
    const bool is_alone = plan.own_step > 0
                              ? is_own(plan, slot[i], own.first + i * plan.own_step)
                              : is_own_in_box(plan, slot[i], OwnCells::of(plan, BoxWindows::number(i)));
    shared_cells |= (slot[i] >= 0) & !is_alone;
  }
  if (beyond) {
#pragma unroll
    for (int i = 0; i < kWindows; ++i)
      if (slot[i] < 0 && BoxWindows::number(i) < windows.count)
        look_beyond<Index>(plan, box.plane, windows.position + i * kThreads);
  }
  if (__syncthreads_or(shared_cells) != 0) {
    const int4 kept = keep_last_of_box<T>(shared, words, {slot[0], slot[1], slot[2], slot[3]});
    slot[0] = kept.x;
    slot[1] = kept.y;
    slot[2] = kept.z;
    slot[3] = kept.w;
  }
  auto* filled = reinterpret_cast<T*>(shared);
#pragma unroll
  for (int i = 0; i < kWindows; ++i)
    if (slot[i] >= 0) filled[slot[i]] = value[i];
  __syncthreads();
  T* to = static_cast<T*>(plan.out) + box.plane * plan.plane_size + cells.origin;
  if constexpr (sizeof(T) == 1) {
    if (plan.halves) return write_box<8>(plan, filled, to, cells.slabs, cells.run);
  }
  write_box<16 / sizeof(T)>(plan, filled, to, cells.slabs, cells.run);
}

}  // namespace cairn::max_unpool
