#pragma once

#include <cstring>
#include <type_traits>

#include "ops/kit/cuda/mean_patches.cuh"

// Patches whose threads march: what neighbouring steps have in common is loaded and divided once, and the
// sources of a step are on their way while those of the step before are added.
namespace cairn::cuda {

// Windows of three, two apart along D as well: a step is a window. Its last slice is the next one's first.
template <typename T, typename H, typename W>
__global__ void __launch_bounds__(MeanPatches::kThreads)
    sum_deep_windows(const __grid_constant__ MeanPatches plan) {
  let_next_kernel_come();
  const unsigned item = blockIdx.x * MeanPatches::kThreads + threadIdx.x;
  if (item >= plan.items) return;
  using Patch = Patch<T, MeanForward, H, W, 1>;
  int d;
  const auto patch = patch_of<T, MeanForward, H, W, 1>(plan, item, H::kResults, d);
  d *= plan.march;
  int slice = MeanForward::first(plan.d, d);
  const auto add = [&plan](const typename Patch::Slice& loaded, auto begins, typename Patch::Sums& sums) {
#pragma unroll
    for (int j = 0; j < H::kSources; ++j) {
      typename Patch::Row row;
      loaded.rows[j].template widen_to<MeanForward>(plan.quotient, row);
      Patch::template add_to_all<decltype(begins)::value>(row, j, sums);
    }
  };
  typename Patch::Sums sums;
  add(patch.load_slice(slice), std::true_type{}, sums);
  const int end = min(d + plan.march, plan.results_d);
  auto middle = patch.load_slice(slice + 1);
#pragma unroll 1
  for (; d < end; ++d, slice += 2) {
    const auto last = patch.load_slice(slice + 2);
    add(middle, std::false_type{}, sums);
    middle = patch.load_slice(slice + 3);
    typename Patch::Sums next;
#pragma unroll
    for (int j = 0; j < H::kSources; ++j) {
      typename Patch::Row row;
      last.rows[j].template widen_to<MeanForward>(plan.quotient, row);
      Patch::template add_to_all<false>(row, j, sums);
      Patch::template add_to_all<true>(row, j, next);
    }
    patch.store(d, sums);
    memcpy(&sums, &next, sizeof(sums));
  }
}

// The cells under them: a step is a slice of sources. It ends the sums of a slice of cells, which the one
// before began, and is all that the next slice of cells has; the one after that begins with the same sums.
template <typename T, typename H, typename W>
__global__ void __launch_bounds__(MeanPatches::kThreads)
    sum_deep_cells(const __grid_constant__ MeanPatches plan) {
  let_next_kernel_come();
  const unsigned item = blockIdx.x * MeanPatches::kThreads + threadIdx.x;
  if (item >= plan.items) return;
  using Patch = Patch<T, MeanBackward, H, W, 1>;
  int slice;
  const auto patch = patch_of<T, MeanBackward, H, W, 1>(plan, item, H::kResults, slice);
  slice *= plan.march;
  typename Patch::Sums ends;
  const auto before = patch.load_slice(slice - 1);
  auto next = patch.load_slice(slice);
#pragma unroll
  for (int j = 0; j < H::kSources; ++j) {
    typename Patch::Row row;
    before.rows[j].template widen_to<MeanBackward>(plan.quotient, row);
    Patch::template add_to_all<true>(row, j, ends);
  }
  const int end = slice + plan.march;
#pragma unroll 1
  for (; slice < end; ++slice) {
    const int d = 2 * slice - plan.d.padding;
    if (d >= plan.results_d) return;
    const auto loaded = next;
    next = patch.load_slice(slice + 1);
    typename Patch::Sums all;
#pragma unroll
    for (int j = 0; j < H::kSources; ++j) {
      typename Patch::Row row;
      loaded.rows[j].template widen_to<MeanBackward>(plan.quotient, row);
      Patch::template add_to_all<false>(row, j, ends);
      Patch::template add_to_all<true>(row, j, all);
    }
    if (d >= 0) patch.store(d, ends);
    if (d + 1 < plan.results_d) patch.store(d + 1, all);
    memcpy(&ends, &all, sizeof(ends));
  }
}

// Windows of three, one apart, or the cells under them: a step is a row of sources. It ends the sums of one
// row of results, goes on with those of the next and begins a third.
template <typename T, typename Way, typename W, int Channels>
__global__ void __launch_bounds__(MeanPatches::kThreads) sum_rows(const __grid_constant__ MeanPatches plan) {
  let_next_kernel_come();
  const unsigned item = blockIdx.x * MeanPatches::kThreads + threadIdx.x;
  if (item >= plan.items) return;
  using H = ThreesByOne<1>;
  using Patch = Patch<T, Way, H, W, Channels>;
  int d;
  const auto patch = patch_of<T, Way, H, W, Channels>(plan, item, plan.march, d);
  const Cells over = Way::reach(plan.d, d);
  const T* from = patch.from + over.begin * plan.from.d;
  const bool there = over.size() > 0;
  const int rows = min(plan.march, plan.results_h - patch.h);
  using RowSums = float[W::kResults][Channels];
  RowSums ends = {};
  RowSums goes_on = {};
  auto next = patch.load_row(from, 0, there);
#pragma unroll 3
  for (int j = 0; j < rows + 2; ++j) {
    typename Patch::Row row;
    const auto loaded = next;
    next = patch.load_row(from, j + 1, there && j < rows + 1);
    loaded.template widen_to<Way>(plan.quotient, row);
    RowSums begins;
    Patch::template add_row<false>(row, ends);
    Patch::template add_row<false>(row, goes_on);
    Patch::template add_row<true>(row, begins);
    if (j >= 2) patch.store_row(d, patch.h + j - 2, ends);
#pragma unroll
    for (int k = 0; k < W::kResults; ++k) {
#pragma unroll
      for (int c = 0; c < Channels; ++c) {
        ends[k][c] = goes_on[k][c];
        goes_on[k][c] = begins[k][c];
      }
    }
  }
}

}  // namespace cairn::cuda
