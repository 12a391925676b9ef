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
  int results_h, results_w, sources_h, sources_w;
};

// A row of a patch's sources. Along W they lie in a pack with a few neighbours, or each is a pack of
// Channels.
template <typename T, typename W, int Channels>
struct PatchRow {
  float at[W::kSources][Channels];

  __device__ void load(const T* row, int first, int sources, int stride, bool there) {
    if constexpr (Channels > 1) {
#pragma unroll
      for (int i = 0; i < W::kSources; ++i) {
        const bool here = there && static_cast<unsigned>(first + i) < static_cast<unsigned>(sources);
        const auto pack = load_pack_if<T, Channels>(here, row + (first + i) * stride);
#pragma unroll
        for (int c = 0; c < Channels; ++c) at[i][c] = widen(pack.at[c]);
      }
    } else {
      const auto body = load_pack_if<T, W::kBody>(there && W::kBody > 1, row + (first + W::kLead));
#pragma unroll
      for (int i = 0; i < W::kSources; ++i) {
        if (W::kBody > 1 && i >= W::kLead && i < W::kLead + W::kBody) {
          at[i][0] = widen(body.at[i - W::kLead]);
        } else {
          const bool here = there && static_cast<unsigned>(first + i) < static_cast<unsigned>(sources);
          at[i][0] = widen(load_if<T>(here, row + (first + i)));
        }
      }
    }
  }
};

// Result i of H has source j.
template <typename H>
constexpr __device__ bool has_source(int i, int j) {
  return j >= H::first(i) && j < H::first(i) + H::count(i);
}

// Adds what the rows of sources in slice d give.
template <typename T, typename Way, typename H, typename W, int Channels>
__device__ void add_slice(const MeanPatches& plan, const T* slice, int first_h, int first_w, bool there,
                          float (&sums)[H::kResults][W::kResults][Channels]) {
#pragma unroll
  for (int j = 0; j < H::kSources; ++j) {
    const int h = first_h + j;
    PatchRow<T, W, Channels> row;
    row.load(slice + h * plan.from.h, first_w, plan.sources_w, plan.from.w,
             there && static_cast<unsigned>(h) < static_cast<unsigned>(plan.sources_h));
    if constexpr (!Way::kForward) {
#pragma unroll
      for (auto& source : row.at) plan.quotient.template divide<T>(source);
    }
#pragma unroll
    for (int r = 0; r < H::kResults; ++r) {
      if (!has_source<H>(r, j)) continue;
#pragma unroll
      for (int k = 0; k < W::kResults; ++k) {
#pragma unroll
        for (int t = 0; t < W::count(k); ++t) {
#pragma unroll
          for (int c = 0; c < Channels; ++c) sums[r][k][c] += row.at[W::first(k) + t][c];
        }
      }
    }
  }
}

// Deep: a result may have sources in several slices along D.
template <typename T, typename Way, typename H, typename W, int Channels, bool Deep>
__global__ void __launch_bounds__(MeanPatches::kThreads)
    sum_patches(const __grid_constant__ MeanPatches plan) {
  let_next_kernel_come();
  const unsigned item = blockIdx.x * MeanPatches::kThreads + threadIdx.x;
  if (item >= plan.items) return;
  Digits<std::uint32_t> digits{item};
  int c = Channels > 1 ? static_cast<int>(digits.next(plan.by_c)) * Channels : 0;
  const int w = static_cast<int>(digits.next(plan.by_w)) * W::kResults;
  const int h = static_cast<int>(digits.next(plan.by_h)) * H::kResults;
  const auto d = static_cast<int>(digits.next(plan.by_d));
  if constexpr (Channels == 1) c = static_cast<int>(digits.next(plan.by_c));
  const auto n = static_cast<int>(digits.left);
  wait_for_kernel_before();
  float sums[H::kResults][W::kResults][Channels] = {};
  const T* from = keep(static_cast<const T*>(plan.read) + plan.from.slice(n, c));
  const Cells over = Way::reach(plan.d, d);
  const int first_h = Way::first(plan.h, h);
  const int first_w = Way::first(plan.w, w);
  if constexpr (Deep) {
    for (int i = over.begin; i < over.end; ++i)
      add_slice<T, Way, H, W, Channels>(plan, from + i * plan.from.d, first_h, first_w, true, sums);
  } else {
    add_slice<T, Way, H, W, Channels>(plan, from + over.begin * plan.from.d, first_h, first_w,
                                      over.size() > 0, sums);
  }
  T* to = static_cast<T*>(plan.written) + plan.to.slice(n, c);
#pragma unroll
  for (int r = 0; r < H::kResults; ++r) {
    if (h + r >= plan.results_h) return;
    Pack<T, Channels == 1 ? W::kResults : Channels> result;
    T* row = to + (d * plan.to.d + (h + r) * plan.to.h + w * plan.to.w);
#pragma unroll
    for (int k = 0; k < W::kResults; ++k) {
#pragma unroll
      for (int i = 0; i < Channels; ++i)
        result.at[Channels == 1 ? k : i] =
            narrow<T>(Way::kForward ? sums[r][k][i] / plan.quotient.by : sums[r][k][i]);
      if (Channels > 1 && w + k < plan.results_w) store_pack(row + k * plan.to.w, result);
    }
    if constexpr (Channels == 1) store_pack(row, result);
  }
}

}  // namespace cairn::cuda
