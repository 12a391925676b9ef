#pragma once

#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/max_pool_backward/cuda/boxes.h"
#include "ops/max_pool_backward/cuda/warps.cuh"

// Boxes of 32 planes whose channels lie side by side: a lane takes a channel, so no two lanes share a cell.
namespace cairn::max_pool_backward {

template <int Count, typename T, typename Coord>
__device__ void write_channels(const BoxPlan<Coord>& plan, float* sums, T* to, const Range<Coord> (&cells)[3],
                               int channels) {
  constexpr int kParts = kWarp / Count;  // lanes that share a cell
  const int lane = threadIdx.x % kWarp;
  const int channel = lane % kParts * Count;
  const int height = static_cast<int>(plan.h.box);
  const int width = static_cast<int>(plan.w.box);
  int w = lane / kParts;
  int h = 0;
  int d = 0;
  for (;;) {
    for (; w >= width; w -= width) {
      if (++h == height) {
        h = 0;
        ++d;
      }
    }
    if (d >= cells[0].size()) return;
    if (h < cells[1].size() && w < cells[2].size()) {
      float* from = sums + ((d * height + h) * width + w) * kWarp + channel;
      const auto part = cuda::load_pack<float, Count>(from);
      cuda::store_pack(from, cuda::Pack<float, Count>{});
      cuda::Pack<T, Count> pack;
#pragma unroll
      for (int i = 0; i < Count; ++i) pack.at[i] = cuda::narrow<T>(part.at[i]);
      const auto& strides = plan.input_strides;
      if (channel < channels) {
        cuda::store_pack(to + d * strides.d + h * strides.h + w * strides.w + channel, pack);
      }
    }
    w += Count;
  }
}

// Adds a window's value to the sum of the lane's channel in a box of cells; `stray` is set where the index is
// not near the window.
template <typename Index, typename Coord>
__device__ __forceinline__ void add_to_box(const BoxPlan<Coord>& plan, const Range<Coord> (&cells)[3],
                                           float* sums, Index index, const Cell<Coord>& window, float value,
                                           bool& stray) {
  using Unsigned = std::make_unsigned_t<Coord>;
  using UnsignedIndex = std::make_unsigned_t<Index>;
  const Cell<Coord> cell = cell_of(plan, static_cast<Unsigned>(index));
  const bool near = (static_cast<UnsignedIndex>(index) < static_cast<UnsignedIndex>(plan.index_limit)) &
                    within(cell.w, plan.w.start(window.w), plan.w.extent) &
                    within(cell.h, plan.h.start(window.h), plan.h.extent) &
                    within(cell.d, plan.d.start(window.d), plan.d.extent);
  stray |= !near & (index != Index{-1});
  if (near & within(cell.w, cells[2].begin, cells[2].size()) &
      within(cell.h, cells[1].begin, cells[1].size()) & within(cell.d, cells[0].begin, cells[0].size())) {
    const Coord slot = ((cell.d - cells[0].begin) * plan.h.box + cell.h - cells[1].begin) * plan.w.box +
                       cell.w - cells[2].begin;
    sums[static_cast<int>(slot) * kWarp + threadIdx.x % kWarp] += value;
  }
}

template <typename T, typename Index, typename Coord>
__global__ void __launch_bounds__(kThreads) scatter_channels(const __grid_constant__ BoxPlan<Coord> plan) {
  constexpr int kWindows = 4;
  cuda::let_next_kernel_come();
  CAIRN_SHARED_MEMORY(float4, shared);
  const int lane = threadIdx.x % kWarp;
  float* sums = zero_sums(shared, plan.floats_per_warp);
  cuda::wait_for_kernel_before();

  const std::uint64_t warps = std::uint64_t{gridDim.x} * kWarpsPerBlock;
  for (std::uint64_t item = std::uint64_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarp;
       item < plan.items; item += warps) {
    const cuda::Place<Coord> place = plan.grid.template place_of<Coord>(item, false);
    const Range<Coord> cells[3] = {plan.d.cells(place.d), plan.h.cells(place.h), plan.w.cells(place.w)};
    const Range<Coord> windows_d = plan.d.windows(place.d, cells[0]);
    const Range<Coord> windows_h = plan.h.windows(place.h, cells[1]);
    const Range<Coord> windows_w = plan.w.windows(place.w, cells[2]);
    const std::int64_t channel = place.slice * kWarp;
    const bool active = channel + lane < static_cast<std::int64_t>(plan.c);
    const T* values =
        static_cast<const T*>(plan.grad_output) + place.n * plan.output_strides.n + channel + lane;
    const Index* indices =
        static_cast<const Index*>(plan.indices) + place.n * plan.index_strides.n + channel + lane;
    bool stray = false;
    for (Coord d = windows_d.begin; d < windows_d.end; ++d) {
      for (Coord h = windows_h.begin; h < windows_h.end; ++h) {
        const T* value_row = values + d * plan.output_strides.d + h * plan.output_strides.h;
        const Index* index_row = indices + d * plan.index_strides.d + h * plan.index_strides.h;
        for (Coord first = windows_w.begin; first < windows_w.end; first += kWindows) {
          Index index[kWindows];
          T value[kWindows];
#pragma unroll
          for (int i = 0; i < kWindows; ++i) {
            const bool there = active && first + i < windows_w.end;
            index[i] = there ? index_row[(first + i) * plan.index_strides.w] : Index{-1};
            value[i] = there ? value_row[(first + i) * plan.output_strides.w] : T{};
          }
#pragma unroll
          for (int i = 0; i < kWindows; ++i)
            add_to_box(plan, cells, sums, index[i], {d, h, first + i}, cuda::widen(value[i]), stray);
        }
      }
    }
    if (stray) plan.repairs.add(place.n * plan.c + place.slice * kWarp + lane);
    __syncwarp();
    T* to = static_cast<T*>(plan.grad_input) + place.n * plan.input_strides.n + channel +
            cells[0].begin * plan.input_strides.d + cells[1].begin * plan.input_strides.h +
            cells[2].begin * plan.input_strides.w;
    const auto channels = static_cast<std::int64_t>(plan.c) - channel;
    const int count = channels < kWarp ? static_cast<int>(channels) : kWarp;
    if (plan.pack >= 4) {
      write_channels<4>(plan, sums, to, cells, count);
    } else {
      write_channels<1>(plan, sums, to, cells, count);
    }
    __syncwarp();
  }
}

}  // namespace cairn::max_pool_backward
