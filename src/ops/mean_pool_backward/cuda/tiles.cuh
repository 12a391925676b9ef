#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/mean_pool_backward/cuda/columns.cuh"

namespace cairn::cuda {

// A block brings the shares of the windows over a box of cells into shared memory, once and in float, and its
// threads sum packs of cells from there. Cells are the results, windows their sources.
template <typename Sum>
struct MeanTiles : NarrowMeans<Sum> {
  static constexpr int kThreads = 256;
  static constexpr int kMostLines = 64;  // of results along D or H

  struct Axis {
    int results, sources;  // in all
    int tile;              // results
    int reach;             // the most sources of a tile
    Divider<std::uint32_t> by_tiles, by_tile, by_reach;
  };
  Axis along_d, along_h, along_w;
  int all_slices, slices;  // in all, in a tile
  int pitch;               // of a staged row; its last element is zero
  int packs;               // in a row of a tile
  int lanes;               // rows of packs that a block sums at once
  Divider<std::uint32_t> by_packs, by_source_packs;
  int source_packs;  // in a staged row
  bool in_packs;     // sources are read in packs of 16 bytes
};

// Where a block works.
template <typename Sum>
struct MeanTile {
  int slice, d, h, w;  // the first results
  Cells from_d, from_h, from_w;

  __device__ explicit MeanTile(const MeanTiles<Sum>& plan) {
    Digits<std::uint32_t> digits{blockIdx.x};
    w = static_cast<int>(digits.next(plan.along_w.by_tiles)) * plan.along_w.tile;
    h = static_cast<int>(digits.next(plan.along_h.by_tiles)) * plan.along_h.tile;
    d = static_cast<int>(digits.next(plan.along_d.by_tiles)) * plan.along_d.tile;
    slice = static_cast<int>(digits.left) * plan.slices;
    from_d = reach(plan.d, d, plan.along_d);
    from_h = reach(plan.h, h, plan.along_h);
    from_w = reach(plan.w, w, plan.along_w);
  }

 private:
  __device__ static Cells reach(const NarrowMeanAxis& axis, int first,
                                const typename MeanTiles<Sum>::Axis& along) {
    return {MeanBackward::reach(axis, first).begin,
            MeanBackward::reach(axis, min(first + along.tile, along.results) - 1).end};
  }
};

// Brings the tile's sources, Count at a time, into shared memory. A block has several loads under way.
template <typename T, int Count, typename Sum>
__device__ void stage_tile(const MeanTiles<Sum>& plan, const MeanTile<Sum>& tile, Sum* staged) {
  constexpr int kThreads = MeanTiles<Sum>::kThreads;
  constexpr int kBatch = Count * sizeof(T) == 16 ? 2 : 4;
  struct Source {
    int slice, d, h, w, row;
    bool there;
  };
  const int first_w = tile.from_w.begin / Count * Count;
  const int packs = Count == 1 ? plan.along_w.reach : plan.source_packs;
  const int rows = plan.slices * plan.along_d.reach * plan.along_h.reach;
  const auto source_of = [&](int item) {
    Digits<std::uint32_t> digits{static_cast<std::uint32_t>(item)};
    const int w =
        first_w +
        static_cast<int>(digits.next(Count == 1 ? plan.along_w.by_reach : plan.by_source_packs)) * Count;
    const auto row = static_cast<int>(digits.left);
    const int h = tile.from_h.begin + static_cast<int>(digits.next(plan.along_h.by_reach));
    const int d = tile.from_d.begin + static_cast<int>(digits.next(plan.along_d.by_reach));
    const int slice = tile.slice + static_cast<int>(digits.left);
    const bool there = item < rows * packs && slice < plan.all_slices && d < tile.from_d.end &&
                       h < tile.from_h.end && w < tile.from_w.end;
    return Source{slice, d, h, w, row, there};
  };
  const auto* from = keep(static_cast<const T*>(plan.read));
  for (int first = threadIdx.x; first < rows * packs; first += kBatch * kThreads) {
    Source at[kBatch];
    Pack<T, Count> read[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      at[i] = source_of(first + i * kThreads);
      const auto n = static_cast<int>(plan.by_c.divide(at[i].slice));
      const auto c = static_cast<int>(plan.by_c.rest(at[i].slice, n));
      read[i] = load_pack_if<T, Count>(
          at[i].there, from + plan.from.slice(n, c) + plan.from.place(at[i].d, at[i].h, at[i].w));
    }
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (!at[i].there) continue;
      const int column = at[i].w - first_w;
      Sum* to = staged + at[i].row * plan.pitch + staged_column(column);
#pragma unroll
      for (int k = 0; k < Count; ++k) {
        to[k] = widen(read[i].at[k]) / plan.divisor_of(at[i].d, at[i].h, at[i].w + k);
      }
    }
  }
}

template <typename T, typename Columns>
__global__ void __launch_bounds__(MeanTiles<Sum<T>>::kThreads)
    sum_tiles(const __grid_constant__ MeanTiles<Sum<T>> plan) {
  using Tiles = MeanTiles<Sum<T>>;
  constexpr int kCount = Columns::kCount;
  constexpr int kSourceCount = 16 / sizeof(T);
  CAIRN_SHARED_MEMORY(unsigned char, shared_bytes);
  auto* staged = reinterpret_cast<Sum<T>*>(shared_bytes);
  __shared__ Cells over_d[Tiles::kMostLines];
  __shared__ Cells over_h[Tiles::kMostLines];
  let_next_kernel_come();
  const MeanTile<Sum<T>> tile(plan);
  const auto over = [&](Cells* lines, const NarrowMeanAxis& axis, const typename Tiles::Axis& along,
                        int first, int begin) {
    for (int i = threadIdx.x; i < along.tile; i += Tiles::kThreads) {
      const Cells reach = MeanBackward::reach(axis, first + i);
      lines[i] = {reach.begin - begin, reach.end - begin};
    }
  };
  over(over_d, plan.d, plan.along_d, tile.d, tile.from_d.begin);
  over(over_h, plan.h, plan.along_h, tile.h, tile.from_h.begin);
  for (int row = threadIdx.x; row < plan.slices * plan.along_d.reach * plan.along_h.reach;
       row += Tiles::kThreads)
    staged[(row + 1) * plan.pitch - 1] = 0;
  wait_for_kernel_before();
  if (plan.in_packs) {
    stage_tile<T, kSourceCount>(plan, tile, staged);
  } else {
    stage_tile<T, 1>(plan, tile, staged);
  }
  __syncthreads();

  const auto lane = static_cast<int>(plan.by_packs.divide(threadIdx.x));
  const int w = tile.w + static_cast<int>(plan.by_packs.rest(threadIdx.x, lane)) * kCount;
  if (lane >= plan.lanes || w >= plan.along_w.results) return;
  const int first_w = plan.in_packs ? tile.from_w.begin / kSourceCount * kSourceCount : tile.from_w.begin;
  const Columns columns(plan.w, w, first_w, plan.pitch - 1);
  for (int row = lane; row < plan.slices * plan.along_d.tile * plan.along_h.tile; row += plan.lanes) {
    Digits<std::uint32_t> digits{static_cast<std::uint32_t>(row)};
    const auto in_h = static_cast<int>(digits.next(plan.along_h.by_tile));
    const auto in_d = static_cast<int>(digits.next(plan.along_d.by_tile));
    const int h = tile.h + in_h;
    const int d = tile.d + in_d;
    const int slice = tile.slice + static_cast<int>(digits.left);
    if (h >= plan.along_h.results || d >= plan.along_d.results || slice >= plan.all_slices) continue;
    const Cells from_d = over_d[in_d];
    const Cells from_h = over_h[in_h];
    Sum<T> sums[kCount] = {};
    for (int i = from_d.begin; i < from_d.end; ++i) {
      const Sum<T>* line =
          staged +
          ((static_cast<int>(digits.left) * plan.along_d.reach + i) * plan.along_h.reach + from_h.begin) *
              plan.pitch;
      for (int j = from_h.begin; j < from_h.end; ++j, line += plan.pitch) columns.add(line, sums);
    }
    Pack<T, kCount> result;
#pragma unroll
    for (int k = 0; k < kCount; ++k) result.at[k] = narrow<T>(sums[k]);
    const auto n = static_cast<int>(plan.by_c.divide(slice));
    const auto c = static_cast<int>(plan.by_c.rest(slice, n));
    store_pack(static_cast<T*>(plan.written) + plan.to.slice(n, c) + plan.to.place(d, h, w), result);
  }
}

}  // namespace cairn::cuda
