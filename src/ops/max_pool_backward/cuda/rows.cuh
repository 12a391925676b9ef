#pragma once

#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/max_pool_backward/cuda/boxes.h"
#include "ops/max_pool_backward/cuda/warps.cuh"

// Boxes of one plane: the lanes of a warp take windows that follow each other along W.
namespace cairn::max_pool_backward {

inline constexpr int kAnyReach = -1;

// Adds the lanes' values to the sums `at` so many bytes, in the order of the lanes; below 0 nothing is added,
// and no two lanes have the same there. Lanes more than `reach` apart never share a sum.
template <int Reach, typename Sum>
__device__ void add_in_order(char* sums, int at, Sum value, int reach) {
  const int lane = threadIdx.x % kWarp;
  auto* const stored = reinterpret_cast<Sum*>(sums + at);
  bool leads = at >= 0;
  Sum sum = value;
  if constexpr (Reach == kAnyReach) {
    for (int i = 1; i <= reach; ++i) {
      const int before = __shfl_up_sync(kAllLanes, at, i);
      if (lane >= i && before == at) leads = false;
    }
    if (leads) sum += *stored;
    for (int i = 1; i <= reach; ++i) {
      const int after = __shfl_down_sync(kAllLanes, at, i);
      const Sum more = __shfl_down_sync(kAllLanes, value, i);
      if (lane + i < kWarp && after == at) sum += more;
    }
  } else {
    unsigned sharing[Reach];  // the lanes that share with the one i before them
#pragma unroll
    for (int i = 1; i <= Reach; ++i) {
      const int before = __shfl_up_sync(kAllLanes, at, i);
      const bool shares = (lane >= i) & (before == at);
      sharing[i - 1] = __ballot_sync(kAllLanes, shares);
      leads &= !shares;
    }
    if (leads) sum += *stored;
#pragma unroll
    for (int i = 1; i <= Reach; ++i) {
      const Sum more = __shfl_down_sync(kAllLanes, value, i);
      if ((sharing[i - 1] & (1U << lane) << i) != 0) sum += more;
    }
  }
  if (leads) *stored = sum;
  __syncwarp();
}

// A run of sums, rounded and written.
template <int Count, typename T>
__device__ void write_run(cuda::Sum<T>* sums, T* to, int length) {
  for (int i = threadIdx.x % kWarp * Count; i < length; i += kWarp * Count) {
    cuda::Pack<T, Count> pack;
    constexpr int kStep = Count < 4 ? Count : 4;
#pragma unroll
    for (int j = 0; j < Count; j += kStep) {
      const auto part = cuda::load_pack<cuda::Sum<T>, kStep>(sums + i + j);
#pragma unroll
      for (int k = 0; k < kStep; ++k) pack.at[j + k] = cuda::narrow<T>(part.at[k]);
    }
    cuda::store_pack(to + i, pack);
  }
}

template <typename T>
__device__ void write_run(cuda::Sum<T>* sums, T* to, int length, std::int64_t stride, int pack) {
  if (stride != 1) {
    for (int i = threadIdx.x % kWarp; i < length; i += kWarp) {
      to[i * stride] = cuda::narrow<T>(sums[i]);
    }
    return;
  }
  constexpr int kMost = 16 / sizeof(T);
  if (pack == kMost) {
    write_run<kMost>(sums, to, length);
  } else if (pack == kMost / 2) {
    write_run<kMost / 2>(sums, to, length);
  } else {
    write_run<1>(sums, to, length);
  }
}

template <typename T, typename Coord>
__device__ void write_box(const BoxPlan<Coord>& plan, cuda::Sum<T>* sums, T* to, int depth, int height,
                          int width) {
  const auto& strides = plan.input_strides;
  const int box_h = static_cast<int>(plan.h.box);
  const int box_w = static_cast<int>(plan.w.box);
  const int run = plan.rows_follow ? height * width : width;
  const int slabs = plan.slabs_follow ? 1 : depth;
  const int rows = plan.rows_follow ? 1 : height;
  for (int d = 0; d < slabs; ++d) {
    for (int h = 0; h < rows; ++h) {
      write_run(sums + (d * box_h + h) * box_w, to + d * strides.d + h * strides.h,
                plan.slabs_follow ? depth * run : run, strides.w, plan.pack);
    }
  }
}

// Where the lanes' next 32 windows of a slab lie: in rows that follow each other without a gap, or one row at
// a time.
template <bool Flat, typename Coord>
struct RowWalk {
  const BoxPlan<Coord>& plan;
  Range<Coord> h;
  Range<Coord> w;

  __device__ Coord positions() const { return h.size() * static_cast<Coord>(plan.by_row_step.divisor()); }
  // The window at this position: its d is not told; there is none when w is past the end.
  __device__ Cell<Coord> at(Coord position) const {
    Coord row;
    Coord column;
    if constexpr (Flat) {
      row = static_cast<Coord>(plan.by_row_step.divide(position));
      column = static_cast<Coord>(plan.by_row_step.rest(position, row));
    } else {
      row = position / kWarp;
      column = position % kWarp;
    }
    return {0, h.begin + row, w.begin + column};
  }
};

// A box of a warp: which sum an index means.
template <typename Sum, typename Index, bool WholeRows, bool Planar, typename Coord>
struct RowBox {
  const BoxPlan<Coord>& plan;
  Range<Coord> d, h, w;  // cells
  // Sums are found by their distance in bytes from the block's first one.
  Coord row_bytes, slab_bytes, origin;

  // Below 0 where the index is none of this box. `stray` is set where it is not near its window.
  __device__ int find(Index index, Coord start_d, Coord start_h, Coord start_w, bool& stray) const {
    using Unsigned = std::make_unsigned_t<Coord>;
    using UnsignedIndex = std::make_unsigned_t<Index>;
    const auto row = plan.width.divide(static_cast<Unsigned>(index));
    const auto slab = Planar ? 0 : plan.height.divide(row);
    const auto cell_w = static_cast<Coord>(plan.width.rest(static_cast<Unsigned>(index), row));
    const auto cell_h = static_cast<Coord>(Planar ? row : plan.height.rest(row, slab));
    const auto cell_d = static_cast<Coord>(slab);
    const bool near = (static_cast<UnsignedIndex>(index) < static_cast<UnsignedIndex>(plan.index_limit)) &
                      within(cell_w, start_w, plan.w.extent) & within(cell_h, start_h, plan.h.extent) &
                      (Planar || within(cell_d, start_d, plan.d.extent));
    stray |= !near & (index != Index{-1});
    const bool mine = near & (WholeRows || within(cell_w, w.begin, w.size())) &
                      within(cell_h, h.begin, h.size()) & (Planar || within(cell_d, d.begin, d.size()));
    const Coord at = (Planar ? 0 : cell_d * slab_bytes) + cell_h * row_bytes +
                     (cell_w * static_cast<Coord>(sizeof(Sum)) + origin);
    return mine ? static_cast<int>(at) : -1 - static_cast<int>(threadIdx.x % kWarp);
  }
};

// A window of each lane.
template <typename T, typename Index, typename Coord>
struct LaneWindow {
  Coord start_h, start_w;
  Index index;
  T value;

  template <bool SameStrides>
  __device__ void load(const BoxPlan<Coord>& plan, bool there, Coord d, const Cell<Coord>& window,
                       const Index* indices, const T* values) {
    const auto offset = [&](const cuda::Strides<Coord>& strides) {
      return d * strides.d + window.h * strides.h + window.w * strides.w;
    };
    const Coord from = offset(plan.output_strides);
    index = cuda::load_if<Index, kNone>(there, indices + (SameStrides ? from : offset(plan.index_strides)));
    value = cuda::load_if(there, values + from);
    start_h = plan.h.start(window.h);
    start_w = plan.w.start(window.w);
  }
};

// Reach: where it is known, gradOutput and indices have the same strides and boxes hold whole rows. Planar:
// the cells have one slab.
template <typename T, typename Index, int Reach, bool Flat, bool Planar, typename Coord>
__global__ void __launch_bounds__(kThreads) scatter_rows(const __grid_constant__ BoxPlan<Coord> plan) {
  constexpr int kGroups = 4;  // of 32 windows, loaded before the first is used
  constexpr bool kCommon = Reach != kAnyReach;
  cuda::let_next_kernel_come();
  CAIRN_SHARED_MEMORY(float4, shared);
  const int lane = threadIdx.x % kWarp;
  using Sum = cuda::Sum<T>;
  Sum* sums = reinterpret_cast<Sum*>(zero_sums(shared, plan.floats_per_warp));

  const std::uint64_t item = std::uint64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarp;
  if (item >= plan.items) return;
  const cuda::Place<Coord> place = plan.grid.template place_of<Coord>(item, false);
  cuda::wait_for_kernel_before();
  const Range<Coord> cells_d = plan.d.cells(place.d);
  const Range<Coord> cells_h = plan.h.cells(place.h);
  const Range<Coord> cells_w = plan.w.cells(place.w);
  const Range<Coord> windows_d = plan.d.windows(place.d, cells_d);
  const RowWalk<Flat, Coord> walk{plan, plan.h.windows(place.h, cells_h), plan.w.windows(place.w, cells_w)};
  const T* values =
      cuda::keep(plan.output_strides.slice_of(static_cast<const T*>(plan.grad_output), place.n, place.slice));
  const Index* indices =
      cuda::keep(plan.index_strides.slice_of(static_cast<const Index*>(plan.indices), place.n, place.slice));
  const Coord positions = walk.positions();
  // Sums are found by their distance in bytes from the block's first one.
  const Coord row_bytes = plan.w.box * static_cast<Coord>(sizeof(Sum));
  const Coord slab_bytes = plan.h.box * row_bytes;
  const Coord origin = static_cast<Coord>((sums - reinterpret_cast<Sum*>(shared)) * sizeof(Sum)) -
                       cells_d.begin * slab_bytes - cells_h.begin * row_bytes -
                       cells_w.begin * static_cast<Coord>(sizeof(Sum));
  const RowBox<Sum, Index, kCommon, Planar, Coord> box{plan,      cells_d,    cells_h, cells_w,
                                                       row_bytes, slab_bytes, origin};
  bool stray = false;

  for (Coord window_d = windows_d.begin; window_d < windows_d.end; ++window_d) {
    const Coord start_d = plan.d.start(window_d);
    for (Coord first = lane; first - lane < positions; first += kGroups * kWarp) {
      LaneWindow<T, Index, Coord> group[kGroups];
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        const Cell<Coord> window = walk.at(first + g * kWarp);
        const bool there = (window.h < walk.h.end) & (window.w < walk.w.end);
        group[g].template load<kCommon>(plan, there, window_d, window, indices, values);
      }
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        const int at = box.find(group[g].index, start_d, group[g].start_h, group[g].start_w, stray);
        add_in_order<Reach>(reinterpret_cast<char*>(shared), at, cuda::widen(group[g].value),
                            plan.conflict_reach);
      }
    }
  }
  if (stray) plan.repairs.add(place.n * plan.c + place.slice);

  T* to = plan.input_strides.slice_of(static_cast<T*>(plan.grad_input), place.n, place.slice) +
          cells_d.begin * plan.input_strides.d + cells_h.begin * plan.input_strides.h +
          cells_w.begin * plan.input_strides.w;
  write_box(plan, sums, to, static_cast<int>(cells_d.size()), static_cast<int>(cells_h.size()),
            static_cast<int>(cells_w.size()));
}

}  // namespace cairn::max_pool_backward
