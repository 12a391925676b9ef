#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/tap_table.cuh"

// Three axes resampled to larger ones, with two taps to a target along each. A block has a tile of H and W
// and marches along D: its threads sum the rows of a source plane along W into shared memory, each row once
// for all targets that need it, then take two of them for the targets that they have, packs of a few rows.
namespace cairn::cuda {

inline constexpr int kExpandPlanesThreads = 256;
inline constexpr int kExpandPlanesPack = 4;
// Rows of targets that a thread has, and rows of sources that it sums.
inline constexpr int kExpandPlanesRows = 2;
inline constexpr int kExpandPlanesPasses = 5;

struct ExpandPlanesPlan {
  const void* from;
  void* to;
  AxisTable d, h, w;
  Strides<int> from_by, to_by;
  Grid<std::uint32_t> grid;  // strips along D, tiles of H and of packs along W
  int sources_d, targets_d;
  int strip;  // of targets along D
  int targets_h, tile_h;
  int packs, tile_packs;  // along W
  int groups;             // of threads that have a tile's packs each
  int lines;              // of threads that have a tile's columns each
  Divider<std::uint32_t> by_tile_packs, by_tile_columns;
};

// Two taps, and whether they are there.
struct TwoTaps {
  float weights[2];
  int there[2];

  TwoTaps() = default;
  __device__ TwoTaps(const AxisTable& table, int target) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      weights[i] = table.weights[target * 2 + i];
      there[i] = tap_mask(weights[i]);
    }
  }
  // A first product of -0.0 times +0.0 leaves the second as it is.
  __device__ float sum(float first, float second) const {
    return weights[0] * masked(first, there[0]) + weights[1] * masked(second, there[1]);
  }
};

template <typename T>
__global__ void __launch_bounds__(kExpandPlanesThreads)
    expand_planes(const __grid_constant__ ExpandPlanesPlan plan) {
  constexpr int kPack = kExpandPlanesPack;
  constexpr int kRows = kExpandPlanesRows;
  constexpr int kPasses = kExpandPlanesPasses;
  CAIRN_SHARED_MEMORY(float4, shared);  // lines of two planes: one is read while the next is written
  auto* const lines = reinterpret_cast<float*>(shared);
  let_next_kernel_come();
  const Place<int> place = plan.grid.place_of<int>(blockIdx.x, /*slices_last=*/false);
  const int tile_columns = plan.tile_packs * kPack;
  const int first_h = place.h * plan.tile_h;
  const int end_h = min(first_h + plan.tile_h, plan.targets_h);
  const int first = place.d * plan.strip;
  const int end_of_strip = min(first + plan.strip, plan.targets_d);
  // What the thread has of the targets. One without any computes another's and keeps it to itself.
  const auto group = static_cast<int>(plan.by_tile_packs.divide(threadIdx.x));
  const auto tile_pack =
      static_cast<int>(plan.by_tile_packs.rest(threadIdx.x, static_cast<std::uint32_t>(group)));
  const int pack = place.w * plan.tile_packs + tile_pack;
  // What it has of the lines.
  const auto line = static_cast<int>(plan.by_tile_columns.divide(threadIdx.x));
  const auto tile_column =
      static_cast<int>(plan.by_tile_columns.rest(threadIdx.x, static_cast<std::uint32_t>(line)));
  const int own_column = place.w * tile_columns + tile_column;
  const bool sums_lines = line < plan.lines && own_column < plan.packs * kPack;
  const int column = sums_lines ? own_column : 0;
  wait_for_kernel_before();
  const int first_row = plan.h.ends[first_h] - 2;
  const int rows = plan.h.ends[end_h - 1] - first_row;
  const TwoTaps along_w(plan.w, column);
  unsigned row_offsets[kPasses];
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass)
    row_offsets[pass] = static_cast<unsigned>(min(line + pass * plan.lines, rows - 1) * plan.from_by.h);
  const int passes = sums_lines ? (rows - line + plan.lines - 1) / plan.lines : 0;
  float* own_line = lines + line * tile_columns + tile_column;
  const int by_pass = plan.lines * tile_columns;

  bool has_row[kRows];
  const float4* wanted[kRows];
  unsigned to_rows[kRows];
  TwoTaps along_h[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const int h = first_h + group + r * plan.groups;
    has_row[r] = group < plan.groups && pack < plan.packs && h < end_h;
    const int own_h = min(h, end_h - 1);
    wanted[r] = shared + (plan.h.ends[own_h] - 2 - first_row) * plan.tile_packs + tile_pack;
    to_rows[r] = static_cast<unsigned>(own_h * plan.to_by.h);
    along_h[r] = {plan.h, own_h};
  }
  const int last = plan.sources_d - 1;
  int next = plan.d.ends[first] - 2;
  const std::int64_t by_d = plan.from_by.d;
  const T* from = plan.from_by.slice_of(static_cast<const T*>(plan.from), place.n, place.slice) +
                  plan.from_by.place(next, first_row, plan.w.ends[column] - 2);
  T* to = plan.to_by.slice_of(static_cast<T*>(plan.to), place.n, place.slice) + pack * kPack +
          static_cast<std::int64_t>(first) * plan.to_by.d;
  T taps[kPasses][2];
  const auto load = [&] {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const T* row = from + row_offsets[pass];
      taps[pass][0] = row[0];
      taps[pass][1] = row[1];
    }
  };
  load();
  int other = kPasses * by_pass;  // how far the plane after this one lies
  float sums[2][kRows][kPack];    // of the two sources before `next`
  int end = plan.d.ends[first];
  auto weights = load_pack<float, 2>(plan.d.weights + first * 2);
  for (int target = first; target < end_of_strip; ++target, to += plan.to_by.d) {
    const int after = min(target + 1, plan.targets_d - 1);
    const int next_end = plan.d.ends[after];
    const auto next_weights = load_pack<float, 2>(plan.d.weights + after * 2);
    for (; next < end; ++next) {
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) {
        if (pass < passes) own_line[pass * by_pass] = along_w.sum(widen(taps[pass][0]), widen(taps[pass][1]));
      }
      if (next < last) from += by_d;
      load();
      __syncthreads();
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const float4 above = wanted[r][0];
        const float4 below = wanted[r][plan.tile_packs];
        const float line_above[] = {above.x, above.y, above.z, above.w};
        const float line_below[] = {below.x, below.y, below.z, below.w};
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          sums[0][r][i] = sums[1][r][i];
          sums[1][r][i] = along_h[r].sum(line_above[i], line_below[i]);
        }
        wanted[r] += other / kPack;
      }
      own_line += other;
      other = -other;
    }
    float results[kRows][kPack];
    const auto finish = [&](auto value) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
#pragma unroll
        for (int i = 0; i < kPack; ++i)
          results[r][i] = weights.at[0] * value(0, sums[0][r][i]) + weights.at[1] * value(1, sums[1][r][i]);
      }
    };
    if (weights.at[0] != 0.0F && weights.at[1] != 0.0F) {
      finish([](int /*tap*/, float value) { return value; });
    } else {
      finish([&](int tap, float value) { return tap_value(weights.at[tap], value); });
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      Pack<T, kPack> pack_of_row;
#pragma unroll
      for (int i = 0; i < kPack; ++i) pack_of_row.at[i] = narrow<T>(results[r][i]);
      if (has_row[r]) store_pack(to + to_rows[r], pack_of_row);
    }
    end = next_end;
    weights = next_weights;
  }
}

}  // namespace cairn::cuda
