#pragma once

#include "ops/kernel/cuda/chain.cuh"
#include "ops/kernel/cuda/element.cuh"
#include "ops/max_pool_backward/cuda_boxes.h"

// Boxes of one plane: the lanes of a warp take windows that follow each other along W.
namespace cairn::max_pool_backward {

inline constexpr int kWarp = 32;
inline constexpr int kWarpsPerBlock = 4;
inline constexpr unsigned kAllLanes = 0xffffffffU;
inline constexpr int kAnyReach = -1;

// Adds the lanes' values to the cells at `slot` in the order of the lanes; a slot below 0 adds nothing. Lanes more
// than `reach` apart never share a slot.
template <int Reach>
__device__ void add_in_order(float* sums, int slot, float value, int reach) {
  const int lane = threadIdx.x % kWarp;
  bool leads = slot >= 0;
  if constexpr (Reach == 0) {
    if (leads) sums[slot] += value;
  } else if constexpr (Reach == kAnyReach) {
    for (int i = 1; i <= reach; ++i) {
      const int before = __shfl_up_sync(kAllLanes, slot, i);
      if (lane >= i && before == slot) leads = false;
    }
    float sum = leads ? sums[slot] + value : 0.0F;
    for (int i = 1; i <= reach; ++i) {
      const int after = __shfl_down_sync(kAllLanes, slot, i);
      const float more = __shfl_down_sync(kAllLanes, value, i);
      if (lane + i < kWarp && after == slot) sum += more;
    }
    if (leads) sums[slot] = sum;
  } else {
    unsigned same[Reach];
#pragma unroll
    for (int i = 1; i <= Reach; ++i) {
      const int before = __shfl_up_sync(kAllLanes, slot, i);
      const bool shares = lane >= i && before == slot && slot >= 0;
      same[i - 1] = __ballot_sync(kAllLanes, shares);
      if (shares) leads = false;
    }
    float sum = leads ? sums[slot] + value : 0.0F;
#pragma unroll
    for (int i = 1; i <= Reach; ++i) {
      const float more = __shfl_down_sync(kAllLanes, value, i);
      if ((same[i - 1] >> i >> lane & 1U) != 0) sum += more;
    }
    if (leads) sums[slot] = sum;
  }
  __syncwarp();
}

// A run of sums, rounded and written, and set back to zero for the next box.
template <int Count, typename T>
__device__ void write_run(float* sums, T* to, int length) {
  for (int i = threadIdx.x % kWarp * Count; i < length; i += kWarp * Count) {
    cuda::Pack<T, Count> pack;
    constexpr int kStep = Count < 4 ? Count : 4;
#pragma unroll
    for (int j = 0; j < Count; j += kStep) {
      const auto part = cuda::load_pack<float, kStep>(sums + i + j);
      cuda::store_pack(sums + i + j, cuda::Pack<float, kStep>{});
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
      sums[i] = 0.0F;
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

template <typename T, typename Index, int Reach, typename Coord>
__global__ void __launch_bounds__(kWarp* kWarpsPerBlock)
    scatter_rows(const __grid_constant__ BoxPlan<Coord> plan) {
  constexpr int kGroups = 4;  // of 32 windows, loaded before the first is used
  constexpr bool kCommon = Reach != kAnyReach;  // gradOutput and indices have the same strides, boxes whole rows
  using Unsigned = std::make_unsigned_t<Coord>;
  using UnsignedIndex = std::make_unsigned_t<Index>;
  cuda::let_next_kernel_come();
  extern __shared__ float4 shared[];
  const int lane = threadIdx.x % kWarp;
  float* sums = reinterpret_cast<float*>(shared) + threadIdx.x / kWarp * plan.floats_per_warp;
  for (int i = lane; i < plan.floats_per_warp; i += kWarp) sums[i] = 0.0F;
  __syncwarp();

  const std::uint64_t warps = std::uint64_t{gridDim.x} * kWarpsPerBlock;
  for (std::uint64_t item = std::uint64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarp; item < plan.items;
       item += warps) {
    const BoxPlace<Coord> place = place_of(plan, item);
    const Range<Coord> cells_d = plan.d.cells(place.d);
    const Range<Coord> cells_h = plan.h.cells(place.h);
    const Range<Coord> cells_w = plan.w.cells(place.w);
    const Range<Coord> windows_d = plan.d.windows(place.d, cells_d);
    const Range<Coord> windows_h = plan.h.windows(place.h, cells_h);
    const Range<Coord> windows_w = plan.w.windows(place.w, cells_w);
    const auto n = static_cast<std::int64_t>(place.n);
    const auto c = static_cast<std::int64_t>(place.slice);
    const T* values =
        static_cast<const T*>(plan.grad_output) + n * plan.output_strides.n + c * plan.output_strides.c;
    const Index* indices =
        static_cast<const Index*>(plan.indices) + n * plan.index_strides.n + c * plan.index_strides.c;
    const Coord positions = windows_h.size() * static_cast<Coord>(plan.by_row_step.divisor());
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
          const Coord position = first + g * kWarp;
          const auto row = static_cast<Coord>(plan.by_row_step.divide(position));
          const Coord column = position - row * static_cast<Coord>(plan.by_row_step.divisor());
          const Coord window_h = windows_h.begin + row;
          const Coord window_w = windows_w.begin + column;
          start_h[g] = plan.h.start(window_h);
          start_w[g] = plan.w.start(window_w);
          const auto offset = [&](const PlaneStrides<Coord>& strides) {
            return window_d * strides.d + window_h * strides.h + window_w * strides.w;
          };
          const Coord from = offset(plan.output_strides);
          index[g] = -1;
          value[g] = T{};
          if ((window_h < windows_h.end) & (window_w < windows_w.end)) {
            index[g] = indices[kCommon ? from : offset(plan.index_strides)];
            value[g] = values[from];
          }
        }
#pragma unroll
        for (int g = 0; g < kGroups; ++g) {
          const Cell<Coord> cell = cell_of(plan, static_cast<Unsigned>(index[g]));
          const bool near =
              (static_cast<UnsignedIndex>(index[g]) < static_cast<UnsignedIndex>(plan.index_limit)) &
              within(cell.w, start_w[g], plan.w.extent) & within(cell.h, start_h[g], plan.h.extent) &
              within(cell.d, start_d, plan.d.extent);
          left_over |= !near & (index[g] != Index{-1});
          const bool mine = near & (kCommon || within(cell.w, cells_w.begin, cells_w.size())) &
                            within(cell.h, cells_h.begin, cells_h.size()) &
                            within(cell.d, cells_d.begin, cells_d.size());
          const Coord slot = ((cell.d - cells_d.begin) * plan.h.box + cell.h - cells_h.begin) * plan.w.box +
                             cell.w - cells_w.begin;
          add_in_order<Reach>(sums, mine ? static_cast<int>(slot) : -1, cuda::widen(value[g]),
                              plan.conflict_reach);
        }
      }
    }
    if (left_over) plan.leftovers.add(place.n * plan.c + place.slice);

    T* to = static_cast<T*>(plan.grad_input) + n * plan.input_strides.n + c * plan.input_strides.c +
            cells_d.begin * plan.input_strides.d + cells_h.begin * plan.input_strides.h +
            cells_w.begin * plan.input_strides.w;
    write_box(plan, sums, to, static_cast<int>(cells_d.size()), static_cast<int>(cells_h.size()),
              static_cast<int>(cells_w.size()));
    __syncwarp();
  }
}

}  // namespace cairn::max_pool_backward
