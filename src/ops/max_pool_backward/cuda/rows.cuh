#pragma once

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/max_pool_backward/cuda/boxes.h"

// Boxes of one plane: the lanes of a warp take windows that follow each other along W.
namespace cairn::max_pool_backward {

inline constexpr int kWarp = 32;
inline constexpr int kWarpsPerBlock = 4;
inline constexpr unsigned kAllLanes = 0xffffffffU;
inline constexpr int kAnyReach = -1;

// Adds the lanes' values to the sums `at` so many bytes, in the order of the lanes; below 0 nothing is added,
// and no two lanes have the same there. Lanes more than `reach` apart never share a sum.
template <int Reach>
__device__ void add_in_order(char* sums, int at, float value, int reach) {
  const int lane = threadIdx.x % kWarp;
  auto& stored = *reinterpret_cast<float*>(sums + at);
  bool leads = at >= 0;
  float sum = value;
  if constexpr (Reach == kAnyReach) {
    for (int i = 1; i <= reach; ++i) {
      const int before = __shfl_up_sync(kAllLanes, at, i);
      if (lane >= i && before == at) leads = false;
    }
    if (leads) sum += stored;
    for (int i = 1; i <= reach; ++i) {
      const int after = __shfl_down_sync(kAllLanes, at, i);
      const float more = __shfl_down_sync(kAllLanes, value, i);
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
    if (leads) sum += stored;
#pragma unroll
    for (int i = 1; i <= Reach; ++i) {
      const float more = __shfl_down_sync(kAllLanes, value, i);
      if ((sharing[i - 1] & (1U << lane) << i) != 0) sum += more;
    }
  }
  if (leads) stored = sum;
  __syncwarp();
}

// A run of sums, rounded and written.
template <int Count, typename T>
__device__ void write_run(float* sums, T* to, int length) {
  for (int i = threadIdx.x % kWarp * Count; i < length; i += kWarp * Count) {
    cuda::Pack<T, Count> pack;
    constexpr int kStep = Count < 4 ? Count : 4;
#pragma unroll
    for (int j = 0; j < Count; j += kStep) {
      const auto part = cuda::load_pack<float, kStep>(sums + i + j);
#pragma unroll
      for (int k = 0; k < kStep; ++k) pack.at[j + k] = cuda::narrow<T>(part.at[k]);
    }
    cuda::store_pack(to + i, pack);
  }
}

template <typename T>
__device__ void write_run(float* sums, T* to, int length, std::int64_t stride, int pack) {
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
__device__ void write_box(const BoxPlan<Coord>& plan, float* sums, T* to, int depth, int height, int width) {
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

// Common: gradOutput and indices have the same strides, boxes hold whole rows. Planar: the cells have one
// slab.
template <typename T, typename Index, int Reach, bool Flat, bool Planar, typename Coord>
__global__ void __launch_bounds__(kWarp* kWarpsPerBlock)
    scatter_rows(const __grid_constant__ BoxPlan<Coord> plan) {
  constexpr int kGroups = 4;  // of 32 windows, loaded before the first is used
  constexpr bool kCommon = Reach != kAnyReach;
  using Unsigned = std::make_unsigned_t<Coord>;
  using UnsignedIndex = std::make_unsigned_t<Index>;
  cuda::let_next_kernel_come();
  extern __shared__ float4 shared[];
  const int lane = threadIdx.x % kWarp;
  float* sums = reinterpret_cast<float*>(shared) + threadIdx.x / kWarp * plan.floats_per_warp;
  for (int i = lane; i < plan.floats_per_warp; i += kWarp) sums[i] = 0.0F;
  __syncwarp();

  const std::uint64_t item = std::uint64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarp;
  if (item >= plan.items) return;
  const BoxPlace<Coord> place = place_of(plan, item);
  cuda::wait_for_kernel_before();
  const Range<Coord> cells_d = plan.d.cells(place.d);
  const Range<Coord> cells_h = plan.h.cells(place.h);
  const Range<Coord> cells_w = plan.w.cells(place.w);
  const Range<Coord> windows_d = plan.d.windows(place.d, cells_d);
  const RowWalk<Flat, Coord> walk{plan, plan.h.windows(place.h, cells_h), plan.w.windows(place.w, cells_w)};
  const auto n = static_cast<std::int64_t>(place.n);
  const auto c = static_cast<std::int64_t>(place.slice);
  const T* values = cuda::keep(static_cast<const T*>(plan.grad_output) + n * plan.output_strides.n +
                               c * plan.output_strides.c);
  const Index* indices = cuda::keep(static_cast<const Index*>(plan.indices) + n * plan.index_strides.n +
                                    c * plan.index_strides.c);
  const Coord positions = walk.positions();
  // Sums are found by their distance in bytes from the block's first one.
  const Coord row_bytes = plan.w.box * static_cast<Coord>(sizeof(float));
  const Coord slab_bytes = plan.h.box * row_bytes;
  const Coord origin = static_cast<Coord>((sums - reinterpret_cast<float*>(shared)) * sizeof(float)) -
                       cells_d.begin * slab_bytes - cells_h.begin * row_bytes -
                       cells_w.begin * static_cast<Coord>(sizeof(float));
  bool left_over = false;

  for (Coord window_d = windows_d.begin; window_d < windows_d.end; ++window_d) {
    const Coord start_d = plan.d.start(window_d);
    for (Coord first = lane; first - lane < positions; first += kGroups * kWarp) {
      Coord start_h[kGroups];
      Coord start_w[kGroups];
      Index index[kGroups];
      T value[kGroups];
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        const Cell<Coord> window = walk.at(first + g * kWarp);
        const bool there = (window.h < walk.h.end) & (window.w < walk.w.end);
        const auto offset = [&](const PlaneStrides<Coord>& strides) {
          return window_d * strides.d + window.h * strides.h + window.w * strides.w;
        };
        const Coord from = offset(plan.output_strides);
        index[g] =
            cuda::load_if<Index, kNone>(there, indices + (kCommon ? from : offset(plan.index_strides)));
        value[g] = cuda::load_if(there, values + from);
        start_h[g] = plan.h.start(window.h);
        start_w[g] = plan.w.start(window.w);
      }
#pragma unroll
      for (int g = 0; g < kGroups; ++g) {
        const auto row = plan.width.divide(static_cast<Unsigned>(index[g]));
        const auto d = Planar ? 0 : plan.height.divide(row);
        const auto cell_w = static_cast<Coord>(plan.width.rest(static_cast<Unsigned>(index[g]), row));
        const auto cell_h = static_cast<Coord>(Planar ? row : plan.height.rest(row, d));
        const auto cell_d = static_cast<Coord>(d);
        const bool near =
            (static_cast<UnsignedIndex>(index[g]) < static_cast<UnsignedIndex>(plan.index_limit)) &
            within(cell_w, start_w[g], plan.w.extent) & within(cell_h, start_h[g], plan.h.extent) &
            (Planar || within(cell_d, start_d, plan.d.extent));
        left_over |= !near & (index[g] != Index{-1});
        const bool mine = near & (kCommon || within(cell_w, cells_w.begin, cells_w.size())) &
                          within(cell_h, cells_h.begin, cells_h.size()) &
                          (Planar || within(cell_d, cells_d.begin, cells_d.size()));
        const Coord at = (Planar ? 0 : cell_d * slab_bytes) + cell_h * row_bytes +
                         (cell_w * static_cast<Coord>(sizeof(float)) + origin);
        add_in_order<Reach>(reinterpret_cast<char*>(shared), mine ? static_cast<int>(at) : -1 - lane,
                            cuda::widen(value[g]), plan.conflict_reach);
      }
    }
  }
  if (left_over) plan.repairs.add(place.n * plan.c + place.slice);

  T* to = static_cast<T*>(plan.grad_input) + n * plan.input_strides.n + c * plan.input_strides.c +
          cells_d.begin * plan.input_strides.d + cells_h.begin * plan.input_strides.h +
          cells_w.begin * plan.input_strides.w;
  write_box(plan, sums, to, static_cast<int>(cells_d.size()), static_cast<int>(cells_h.size()),
            static_cast<int>(cells_w.size()));
}

}  // namespace cairn::max_pool_backward
