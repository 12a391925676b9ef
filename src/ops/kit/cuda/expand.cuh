#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/march_strides.h"
#include "ops/kit/cuda/tap_table.cuh"

// Planes resampled to larger ones: a target has few taps on every axis. A thread has some columns of W, in
// packs that lie so far apart that neighbours in a warp have neighbours in memory, and marches along the
// outermost axis: what it computed of a source stays in registers until no target wants it any more. The next
// source is loaded meanwhile.
namespace cairn::cuda {

inline constexpr int kExpandThreads = 256;
inline constexpr int kExpandColumns = 4;

struct ExpandPlan {
  const void* from;
  void* to;
  AxisTable march, middle, w;
  MarchStrides from_by, to_by;
  Grid<std::uint32_t> grid;  // strips along the march, the middle axis, columns of a step along W
  int items;
  int sources, targets;  // along the march
  int strip;             // of targets
  int packs, step;       // along W
  bool slices_last;
};

// One source along the march, as a thread sees it.
template <typename In, int kMiddle, int kMost, bool kBackward, int kColumns>
struct ExpandSource {
  static constexpr float kStart = kBackward ? 0.0F : -0.0F;

  unsigned offsets[kColumns];
  float along_w[kColumns][kMost];
  float along_middle[kMiddle];
  In taps[kMiddle][kColumns][kMost];

  // Neighbours need no addresses of their own: by_w is known for them.
  __device__ void load(const In* plane, int by_middle, int by_w) {
#pragma unroll
    for (int m = 0; m < kMiddle; ++m) {
#pragma unroll
      for (int v = 0; v < kColumns; ++v) {
        const In* first = plane + offsets[v];
#pragma unroll
        for (int i = 0; i < kMost; ++i) taps[m][v][i] = first[i * by_w];
      }
      plane += by_middle;
    }
  }

  __device__ float sum(int v) const {
    float sums = kStart;
#pragma unroll
    for (int m = 0; m < kMiddle; ++m) {
      float line = kStart;
#pragma unroll
      for (int i = 0; i < kMost; ++i) line += along_w[v][i] * tap_value(along_w[v][i], widen(taps[m][v][i]));
      // One tap along the middle axis is the value itself.
      sums = kMiddle == 1 ? line : sums + along_middle[m] * tap_value(along_middle[m], line);
    }
    return sums;
  }
};

// kUnit: neighbours along W are neighbours in memory. kPack: columns of a thread that are stored together.
template <typename In, typename Out, int kMiddle, int kMost, bool kUnit, bool kBackward,
          int kColumns = kExpandColumns, int kPack = 1>
__global__ void __launch_bounds__(kExpandThreads) expand_columns(const __grid_constant__ ExpandPlan plan) {
  constexpr float kStart = kBackward ? 0.0F : -0.0F;
  let_next_kernel_come();
  const auto item = static_cast<int>(blockIdx.x * kExpandThreads + threadIdx.x);
  if (item >= plan.items) return;
  const Place<int> place = plan.grid.place_of<int>(static_cast<std::uint32_t>(item), plan.slices_last);
  wait_for_kernel_before();
  const int by_w = kUnit ? 1 : plan.from_by.w;
  ExpandSource<In, kMiddle, kMost, kBackward, kColumns> source;
  unsigned to_packs[kColumns / kPack];
#pragma unroll
  for (int v = 0; v < kColumns; ++v) {
    // Past the last pack this is the last one, which gets the same values again.
    const int pack = min(place.w + v / kPack * plan.step, plan.packs - 1);
    const int column = pack * kPack + v % kPack;
    if (v % kPack == 0) to_packs[v / kPack] = static_cast<unsigned>(column * plan.to_by.w);
    source.offsets[v] = static_cast<unsigned>((plan.w.ends[column] - kMost) * by_w);
#pragma unroll
    for (int i = 0; i < kMost; ++i) source.along_w[v][i] = plan.w.weights[column * kMost + i];
  }
#pragma unroll
  for (int m = 0; m < kMiddle; ++m) source.along_middle[m] = plan.middle.weights[place.h * kMiddle + m];
  const int first = place.d * plan.strip;
  const int end_of_strip = min(first + plan.strip, plan.targets);
  const int last = plan.sources - 1;
  int next = plan.march.ends[first] - kMost;
  const std::int64_t by_march = plan.from_by.march;
  const In* from =
      static_cast<const In*>(plan.from) + place.n * plan.from_by.n + place.slice * plan.from_by.c +
      static_cast<std::int64_t>(plan.middle.ends[place.h] - kMiddle) * plan.from_by.middle + next * by_march;
  const std::int64_t to_march = plan.to_by.march;
  Out* to = static_cast<Out*>(plan.to) + place.n * plan.to_by.n + place.slice * plan.to_by.c +
            static_cast<std::int64_t>(place.h) * plan.to_by.middle + first * to_march;
  float sums[kMost][kColumns];  // of the sources before `next`
  source.load(from, plan.from_by.middle, by_w);
  for (int target = first; target < end_of_strip; ++target, to += to_march) {
    const int end = plan.march.ends[target];
    if (next < end - kMost) {
      from += (end - kMost - next) * by_march;
      next = end - kMost;
      source.load(from, plan.from_by.middle, by_w);
    }
    for (; next < end; ++next) {
#pragma unroll
      for (int v = 0; v < kColumns; ++v) {
#pragma unroll
        for (int i = 0; i + 1 < kMost; ++i) sums[i][v] = sums[i + 1][v];
        sums[kMost - 1][v] = source.sum(v);
      }
      if (next < last) from += by_march;
      source.load(from, plan.from_by.middle, by_w);
    }
    const auto weights = load_pack<float, kMost>(plan.march.weights + target * kMost);
    bool all_there = true;
#pragma unroll
    for (int i = 0; i < kMost; ++i) all_there &= weights.at[i] != 0.0F;
    float results[kColumns];
    if (all_there) {
#pragma unroll
      for (int v = 0; v < kColumns; ++v) {
        results[v] = kStart;
#pragma unroll
        for (int i = 0; i < kMost; ++i) results[v] += weights.at[i] * sums[i][v];
      }
    } else {
#pragma unroll
      for (int v = 0; v < kColumns; ++v) {
        results[v] = kStart;
#pragma unroll
        for (int i = 0; i < kMost; ++i) results[v] += weights.at[i] * tap_value(weights.at[i], sums[i][v]);
      }
    }
#pragma unroll
    for (int p = 0; p < kColumns / kPack; ++p) {
      Pack<Out, kPack> pack;
#pragma unroll
      for (int i = 0; i < kPack; ++i) pack.at[i] = narrow<Out>(results[p * kPack + i]);
      store_pack(to + to_packs[p], pack);
    }
  }
}

}  // namespace cairn::cuda
