#pragma once

#include <cstdint>

#include "ops/kit/cuda/reduce.cuh"
#include "ops/kit/cuda/shared_memory.cuh"

// Three axes resampled to smaller ones. A block has a tile of H and W and marches along D: its threads sum
// the rows of a source plane along W into shared memory, each row once, and then take what they need of them
// along H.
namespace cairn::cuda {

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

// A sum of +0.0 and products: one with a weight of -0.0, which is no tap, changes nothing where the value is
// a number, so that only sums that are none have to ask which taps are there.
template <int kTaps>
struct PlainSum {
  float weights[kTaps];

  __device__ PlainSum(const AxisTable& table, int target) {
#pragma unroll
    for (int i = 0; i < kTaps; ++i) weights[i] = table.weights[target * kTaps + i];
  }
  template <typename In>
  __device__ float of_all(const In (&taps)[kTaps]) const {
    // From the first product on: the sum that it ends in starts from +0.0, and no -0.0 gets past that.
    float sum = weights[0] * widen(taps[0]);
#pragma unroll
    for (int i = 1; i < kTaps; ++i) sum += weights[i] * widen(taps[i]);
    return sum;
  }
  template <typename In>
  __device__ float of_those_there(const In (&taps)[kTaps]) const {
    float sum = 0.0F;
#pragma unroll
    for (int i = 0; i < kTaps; ++i) sum += weights[i] * tap_value(weights[i], widen(taps[i]));
    return sum;
  }
};
__device__ inline bool is_number(float value) { return fabsf(value) < INFINITY; }

// The sums along D of the targets from `open` on, which the source planes so far have begun.
template <int kRows>
struct OpenPlanes {
  float sums[2][kRows];
  int open;

  __device__ explicit OpenPlanes(int target) : open(target) {
#pragma unroll
    for (auto& row : sums) {
#pragma unroll
      for (float& sum : row) sum = 0.0F;
    }
  }
  // Hands over the sums of the targets before this one: no source comes that goes to them.
  template <typename Store>
  __device__ void close_before(int target, const Store& store) {
#pragma unroll 1
    for (; open < target; ++open) {
      store(open, sums[0]);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        sums[0][r] = sums[1][r];
        sums[1][r] = 0.0F;
      }
    }
  }
  __device__ void add(const Pack<float, 2>& weights, const float (&values)[kRows]) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      if (weights.at[i] == 0.0F) continue;
#pragma unroll
      for (int r = 0; r < kRows; ++r) sums[i][r] += weights.at[i] * values[r];
    }
  }
};

// kRows: of targets that a thread has. kPasses: rows of a source plane that it sums. H200, t3-odd FLOAT 0.24
// ms with 3 and 7; with 2 and 5 0.26, with 1 and 2 0.38. With 3 blocks on a multiprocessor 0.26.
template <typename In, typename Out, int kTapsH, int kTapsW, Line kLine, int kRows, int kPasses>
__global__ void __launch_bounds__(kReduceThreads, 2)
    reduce_planes(const __grid_constant__ ReducePlanesPlan plan) {
  CAIRN_SHARED_MEMORY(float, lines);  // of two planes: one is read while the next is written
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
  const PlainSum<kTapsW> along_w(plan.w, w);
  // A thread without a target computes the last one's and keeps it to itself.
  const auto own_h = [&](int r) { return min(first_h + group + r * plan.groups, end_h - 1); };
  bool has_target[kRows];
  unsigned to_rows[kRows];
  int wanted[kRows];
  float along_h[kRows][kTapsH];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    has_target[r] = is_there && first_h + group + r * plan.groups < end_h;
    to_rows[r] = static_cast<unsigned>(own_h(r) * plan.to_by.h);
    wanted[r] = (plan.h.ends[own_h(r)] - kTapsH - first_row) * plan.tile_columns + tile_column;
#pragma unroll
    for (int i = 0; i < kTapsH; ++i) along_h[r][i] = plan.h.weights[own_h(r) * kTapsH + i];
  }
  const int first = place.d * plan.strip;
  const int end = min(first + plan.strip, plan.targets_d);
  const std::int64_t to_d = plan.to_by.d;
  Out* to = plan.to_by.slice_of(static_cast<Out*>(plan.to), place.n, channel) + plan.to_by.place(first, 0, w);
  const auto store = [&](int target, const float(&sums)[kRows]) {
    if (target < first) return;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (has_target[r]) to[to_rows[r]] = narrow<Out>(sums[r]);
    }
    to += to_d;
  };
  const int last = plan.sources_d - 1;
  int source = min(first_source(plan.d, plan.sources_d, first), last);
  OpenPlanes<kRows> sums(min(first, plan.d.ends[source] - 2));
  const In* from = plan.from_by.slice_of(static_cast<const In*>(plan.from), place.n, channel) +
                   plan.from_by.place(source, first_row, plan.w.ends[w] - kTapsW);
  unsigned row_offsets[kPasses];
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass)
    row_offsets[pass] = static_cast<unsigned>(min(group + pass * plan.groups, rows - 1) * plan.from_by.h);
  const int passes = is_there ? (rows - group + plan.groups - 1) / plan.groups : 0;
  In taps[kPasses][kTapsW];
  const auto load = [&] {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass)
      load_line<kLine>(from + row_offsets[pass], plan.from_by.w, taps[pass]);
  };
  load();
  const int by_pass = plan.groups * plan.tile_columns;
  float* own_line = lines + group * plan.tile_columns + tile_column;
  const float* plane = lines;
  int other = kPasses * by_pass;  // how far the plane after this one lies
  const int* ends = plan.d.ends + source;
  const float* table = plan.d.weights + source * 2;
  int source_end = *ends;
  auto weights = load_pack<float, 2>(table);
  for (; source <= last; ++source) {
    sums.close_before(min(source_end - 2, end), store);
    if (sums.open >= end) break;
    float line_sums[kPasses];
    bool are_numbers = true;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      line_sums[pass] = along_w.of_all(taps[pass]);
      are_numbers &= is_number(line_sums[pass]);
    }
    if (!are_numbers) {
#pragma unroll
      for (int pass = 0; pass < kPasses; ++pass) line_sums[pass] = along_w.of_those_there(taps[pass]);
    }
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      if (pass < passes) own_line[pass * by_pass] = line_sums[pass];
    }
    if (source < last) {
      from += plan.from_by.d;
      ++ends;
      table += 2;
    }
    load();
    source_end = *ends;
    const auto next_weights = load_pack<float, 2>(table);
    const bool some_none = __syncthreads_or(static_cast<int>(!are_numbers)) != 0;
    float of_h[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float* line = plane + wanted[r];
      if (!some_none) {
        of_h[r] = along_h[r][0] * line[0];
#pragma unroll
        for (int i = 1; i < kTapsH; ++i) of_h[r] += along_h[r][i] * line[i * plan.tile_columns];
      } else {
        of_h[r] = 0.0F;
#pragma unroll
        for (int i = 0; i < kTapsH; ++i)
          of_h[r] += along_h[r][i] * tap_value(along_h[r][i], line[i * plan.tile_columns]);
      }
    }
    sums.add(weights, of_h);
    weights = next_weights;
    own_line += other;
    plane += other;
    other = -other;
  }
  sums.close_before(end, store);
}

}  // namespace cairn::cuda
