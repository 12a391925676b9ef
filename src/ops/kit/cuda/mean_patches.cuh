#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/mean_patterns.cuh"
#include "ops/kit/cuda/mean_quotient.cuh"

namespace cairn::cuda {

// Mean pooling, or its gradient, where windows are all alike and have one divisor: a thread sums a patch of
// results, H by W, and every source of theirs is loaded, converted and in the gradient divided once. Sources
// that do not exist are loaded as zeros: a sum that began with +0 does not change by them.
struct MeanPatches : NarrowMeans<float> {
  static constexpr int kThreads = 128;

  MeanQuotient quotient;
  int results_d, results_h, results_w, sources_d, sources_h, sources_w;
  int march;  // how many steps a thread takes along D, or H, where it takes several
};

// A row of a patch's sources. Along W they lie in a pack with a few neighbours, or each is a pack of
// Channels.
template <typename T, typename W, int Channels>
struct PatchRow {
  static constexpr bool kHasBody = Channels == 1 && W::kBody > 1;
  static constexpr int kPack = Channels > 1 ? Channels : W::kBody;

  Pack<T, kPack> body;
  Pack<T, Channels> loose[W::kSources];  // the sources that are not of the body

  static constexpr __device__ bool in_body(int i) {
    return kHasBody && i >= W::kLead && i < W::kLead + W::kBody;
  }

  __device__ void load(const T* row, int first, int sources, int stride, bool there) {
    if constexpr (kHasBody) body = load_pack_if<T, kPack>(there, row + (first + W::kLead));
#pragma unroll
    for (int i = 0; i < W::kSources; ++i) {
      if (in_body(i)) continue;
      const bool here = there && static_cast<unsigned>(first + i) < static_cast<unsigned>(sources);
      loose[i] = load_pack_if<T, Channels>(here, row + (first + i) * (Channels > 1 ? stride : 1));
    }
  }

  // The sources as they are added.
  template <typename Way>
  __device__ void widen_to(const MeanQuotient& quotient, float (&at)[W::kSources][Channels]) const {
    SmallValues<T> small;
    if constexpr (!Way::kForward && kHasBody) small.look_at(body);
#pragma unroll
    for (int i = 0; i < W::kSources; ++i) {
      if (in_body(i)) {
        at[i][0] = widen(body.at[in_body(i) ? i - W::kLead : 0]);
        continue;
      }
      if constexpr (!Way::kForward) small.look_at(loose[i]);
#pragma unroll
      for (int c = 0; c < Channels; ++c) at[i][c] = widen(loose[i].at[c]);
    }
    if constexpr (!Way::kForward) quotient.divide(at, small.any());
  }
};

// Result i of H has source j.
template <typename H>
constexpr __device__ bool has_source(int i, int j) {
  return j >= H::first(i) && j < H::first(i) + H::count(i);
}

// What a thread sums: where its patch begins, and how rows of it are read, added and written.
template <typename T, typename Way, typename H, typename W, int Channels>
struct Patch {
  using Sums = float[H::kResults][W::kResults][Channels];
  using Row = float[W::kSources][Channels];

  const MeanPatches& plan;
  const T* from;
  T* to;
  int h, w;              // the first result
  int first_h, first_w;  // the first source

  __device__ PatchRow<T, W, Channels> load_row(const T* slice, int j, bool there) const {
    PatchRow<T, W, Channels> row;
    row.load(slice + (first_h + j) * plan.from.h, first_w, plan.sources_w, plan.from.w,
             there && static_cast<unsigned>(first_h + j) < static_cast<unsigned>(plan.sources_h));
    return row;
  }

  // Adds source row j to the sums of result row r, which it may begin.
  template <bool Begins>
  __device__ static void add_row(const Row& row, float (&sums)[W::kResults][Channels]) {
#pragma unroll
    for (int k = 0; k < W::kResults; ++k) {
#pragma unroll
      for (int t = 0; t < W::count(k); ++t) {
#pragma unroll
        for (int c = 0; c < Channels; ++c) {
          const float source = row[W::first(k) + t][c];
          if (!Begins || t > 0) {
            sums[k][c] += source;
          } else {
            sums[k][c] = Way::kForward ? 0.0F + source : source;
          }
        }
      }
    }
  }
  // Adds source row j of a slice to all that have it. Begins: the slice is the first one.
  template <bool Begins>
  __device__ static void add_to_all(const Row& row, int j, Sums& sums) {
#pragma unroll
    for (int r = 0; r < H::kResults; ++r) {
      if (!has_source<H>(r, j)) continue;
      if (Begins && j == H::first(r)) {
        add_row<true>(row, sums[r]);
      } else {
        add_row<false>(row, sums[r]);
      }
    }
  }
  template <bool Begins>
  __device__ void add_slice(const T* slice, bool there, Sums& sums) const {
#pragma unroll
    for (int j = 0; j < H::kSources; ++j) {
      Row row;
      load_row(slice, j, there).template widen_to<Way>(plan.quotient, row);
      add_to_all<Begins>(row, j, sums);
    }
  }

  // A slice of sources that may not be there.
  struct Slice {
    PatchRow<T, W, Channels> rows[H::kSources];
  };
  __device__ Slice load_slice(int d) const {
    Slice slice;
    const bool there = static_cast<unsigned>(d) < static_cast<unsigned>(plan.sources_d);
#pragma unroll
    for (int j = 0; j < H::kSources; ++j) slice.rows[j] = load_row(from + d * plan.from.d, j, there);
    return slice;
  }

  __device__ void store_row(int d, int at_h, float (&sums)[W::kResults][Channels]) const {
    if constexpr (Way::kForward) plan.quotient.template divide_sums<T>(sums);
    Pack<T, Channels == 1 ? W::kResults : Channels> result;
    T* row = to + (d * plan.to.d + at_h * plan.to.h + w * plan.to.w);
#pragma unroll
    for (int k = 0; k < W::kResults; ++k) {
#pragma unroll
      for (int i = 0; i < Channels; ++i) result.at[Channels == 1 ? k : i] = narrow<T>(sums[k][i]);
      if (Channels > 1 && w + k < plan.results_w) store_pack(row + k * plan.to.w, result);
    }
    if constexpr (Channels == 1) store_pack(row, result);
  }
  __device__ void store(int d, Sums& sums) const {
#pragma unroll
    for (int r = 0; r < H::kResults; ++r)
      if (h + r < plan.results_h) store_row(d, h + r, sums[r]);
  }
};

// A thread's patch, and which step along D is its own. Rows: how many result rows a step along H has.
template <typename T, typename Way, typename H, typename W, int Channels>
__device__ auto patch_of(const MeanPatches& plan, unsigned item, int rows, int& step_d) {
  Digits<std::uint32_t> digits{item};
  int c = Channels > 1 ? static_cast<int>(digits.next(plan.by_c)) * Channels : 0;
  const int w = static_cast<int>(digits.next(plan.by_w)) * W::kResults;
  const int h = static_cast<int>(digits.next(plan.by_h)) * rows;
  step_d = static_cast<int>(digits.next(plan.by_d));
  if constexpr (Channels == 1) c = static_cast<int>(digits.next(plan.by_c));
  const auto n = static_cast<int>(digits.left);
  wait_for_kernel_before();
  return Patch<T, Way, H, W, Channels>{plan,
                                       keep(static_cast<const T*>(plan.read) + plan.from.slice(n, c)),
                                       static_cast<T*>(plan.written) + plan.to.slice(n, c),
                                       h,
                                       w,
                                       Way::first(plan.h, h),
                                       Way::first(plan.w, w)};
}

// Deep: a result may have sources in several slices along D.
template <typename T, typename Way, typename H, typename W, int Channels, bool Deep>
__global__ void __launch_bounds__(MeanPatches::kThreads)
    sum_patches(const __grid_constant__ MeanPatches plan) {
  let_next_kernel_come();
  const unsigned item = blockIdx.x * MeanPatches::kThreads + threadIdx.x;
  if (item >= plan.items) return;
  int d;
  const auto patch = patch_of<T, Way, H, W, Channels>(plan, item, H::kResults, d);
  const Cells over = Way::reach(plan.d, d);
  typename Patch<T, Way, H, W, Channels>::Sums sums = {};
  if constexpr (Deep) {
    for (int i = over.begin; i < over.end; ++i)
      patch.template add_slice<false>(patch.from + i * plan.from.d, true, sums);
  } else {
    patch.template add_slice<true>(patch.from + over.begin * plan.from.d, over.size() > 0, sums);
  }
  patch.store(d, sums);
}

}  // namespace cairn::cuda
