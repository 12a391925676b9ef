#pragma once

#include <cstdint>

#include "ops/kit/cuda/reduce.cuh"

// Three axes resampled to smaller ones. A block has a tile of H and W and marches along D: its threads sum
// the rows of a source plane along W into shared memory, each row once, and then take what they need of them
// along H.
namespace cairn::cuda {

// Rows of a source plane that a thread sums.
inline constexpr int kReducePasses = 2;

struct ReducePlanesPlan {
  const void* from;
  void* to;
  AxisTable d;  // by source: the targets it goes to
  AxisTable h, w;
  Strides<int> from_by, to_by;
  Grid<std::uint32_t> grid;  // strips along D, tiles of H and of columns
  int sources_d, targets_d;
  int strip;  // of targets along D
  int targets_h, tile_h;
  int columns, tile_columns;  // W, or W and channels
  int groups;                 // of threads that have a tile's columns each
  Divider<std::uint32_t> by_tile_columns;
  Divider<std::uint32_t> by_channels;
  bool channels_in_columns;
};

template <typename In, typename Out, int kTapsH, int kTapsW, Line kLine, bool kBackward>
__global__ void __launch_bounds__(kReduceThreads)
    reduce_planes(const __grid_constant__ ReducePlanesPlan plan) {
  constexpr int kMost = 2;
  extern __shared__ float lines[];  // of two planes: one is read while the next is written
  let_next_kernel_come();
  const Place<int> place = plan.grid.place_of<int>(blockIdx.x, /*slices_last=*/false);
  const auto group = static_cast<int>(plan.by_tile_columns.divide(threadIdx.x));
  const auto tile_column =
      static_cast<int>(plan.by_tile_columns.rest(threadIdx.x, static_cast<std::uint32_t>(group)));
  const int column = place.w * plan.tile_columns + tile_column;
  const bool is_there = group < plan.groups && column < plan.columns;
  int w = is_there ? column : 0;
  std::int64_t channel = place.slice;
  if (plan.channels_in_columns) {
    const auto column_w = plan.by_channels.divide(static_cast<std::uint32_t>(w));
    channel = plan.by_channels.rest(static_cast<std::uint32_t>(w), column_w);
    w = static_cast<int>(column_w);
  }
  wait_for_kernel_before();
  const int first_h = place.h * plan.tile_h;
  const int end_h = min(first_h + plan.tile_h, plan.targets_h);
  const int first_row = plan.h.ends[first_h] - kTapsH;
  const int rows = plan.h.ends[end_h - 1] - first_row;
  const LineWeights<kTapsW, kBackward> along_w(plan.w, w);
  const int h = first_h + group;
  const bool has_target = is_there && h < end_h;
  // A thread without a target computes the first one's and keeps it to itself.
  const int own_h = has_target ? h : first_h;
  const LineWeights<kTapsH, kBackward> along_h(plan.h, own_h);

  const int first = place.d * plan.strip;
  const int end = min(first + plan.strip, plan.targets_d);
  const std::int64_t to_d = plan.to_by.d;
  Out* to =
      plan.to_by.slice_of(static_cast<Out*>(plan.to), place.n, channel) + plan.to_by.place(first, own_h, w);
  const auto store = [&](int target, float sum) {
    if (target < first) return;
    if (has_target) *to = narrow<Out>(sum);
    to += to_d;
  };
  const int last = plan.sources_d - 1;
  int source = min(first_source(plan.d, plan.sources_d, first), last);
  OpenSums<kMost, kBackward> sums(min(first, plan.d.ends[source] - kMost));
  const std::int64_t by_d = plan.from_by.d;
  const In* from = plan.from_by.slice_of(static_cast<const In*>(plan.from), place.n, channel) +
                   plan.from_by.place(source, first_row, plan.w.ends[w] - kTapsW);
  const In* rows_at[kReducePasses];  // that this thread sums
#pragma unroll
  for (int pass = 0; pass < kReducePasses; ++pass)
    rows_at[pass] =
        from + static_cast<std::int64_t>(min(group + pass * plan.groups, rows - 1)) * plan.from_by.h;
  In taps[kReducePasses][kTapsW];
  const auto load = [&] {
#pragma unroll
    for (int pass = 0; pass < kReducePasses; ++pass)
      load_line<kLine>(rows_at[pass], plan.from_by.w, taps[pass]);
  };
  load();
  const int plane_lines = kReducePasses * plan.groups * plan.tile_columns;
  const int by_pass = plan.groups * plan.tile_columns;
  bool sums_row[kReducePasses];
#pragma unroll
  for (int pass = 0; pass < kReducePasses; ++pass)
    sums_row[pass] = is_there && group + pass * plan.groups < rows;
  float* own_line = lines + group * plan.tile_columns + tile_column;
  const float* wanted = lines + (plan.h.ends[own_h] - kTapsH - first_row) * plan.tile_columns + tile_column;
  int other = plane_lines;  // how far the plane after this one lies
  const int* ends = plan.d.ends + source;
  const float* table = plan.d.weights + source * kMost;
  int source_end = *ends;
  auto weights = load_pack<float, kMost>(table);
  for (; source <= last; ++source) {
    sums.close_before(min(source_end - kMost, end), store);
    if (sums.open >= end) break;
#pragma unroll
    for (int pass = 0; pass < kReducePasses; ++pass) {
      if (sums_row[pass]) own_line[pass * by_pass] = along_w.sum(taps[pass]);
    }
    if (source < last) {
#pragma unroll
      for (const In*& row : rows_at) row += by_d;
    }
    load();
    if (source < last) {
      ++ends;
      table += kMost;
    }
    source_end = *ends;
    const auto next_weights = load_pack<float, kMost>(table);
    __syncthreads();
    float of_h[kTapsH];
#pragma unroll
    for (int i = 0; i < kTapsH; ++i) of_h[i] = wanted[i * plan.tile_columns];
    sums.add(weights, along_h.sum(of_h));
    weights = next_weights;
    own_line += other;
    wanted += other;
    other = -other;
  }
  sums.close_before(end, store);
}

}  // namespace cairn::cuda
