#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/march_strides.h"
#include "ops/kit/cuda/tap_table.cuh"

// Planes resampled to larger ones: a target has few taps on every axis. A thread has some columns of W, far
// enough apart that neighbours in a warp have neighbours in memory, and marches along the outermost axis:
// what it computed of a source stays in registers until no target wants it any more. The next source is
// loaded meanwhile.
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
  int columns, step;     // along W
  bool slices_last;
};

// One source along the march, as a thread sees it.
template <typename In, int kMiddle, int kMost, bool kBackward>
struct ExpandSource {
  static constexpr float kStart = kBackward ? 0.0F : -0.0F;

  const In* at[kExpandColumns];  // the first tap of each column
  float along_w[kExpandColumns][kMost];
  int there[kExpandColumns][kMost];
  float along_middle[kMiddle];
  int rows_there[kMiddle];
  In taps[kMiddle][kExpandColumns][kMost];

  // Neighbours need no addresses of their own: by_w is known for them.
  __device__ void load(std::int64_t by_middle, int by_w) {
#pragma unroll
    for (int v = 0; v < kExpandColumns; ++v) {
      const In* first = at[v];
#pragma unroll
      for (int m = 0; m < kMiddle; ++m, first += by_middle) {
#pragma unroll
        for (int i = 0; i < kMost; ++i) taps[m][v][i] = first[i * by_w];
      }
    }
  }
  __device__ void move(std::int64_t by) {
#pragma unroll
    for (const In*& column : at) column += by;
  }

  __device__ float sum(int v) const {
    float sums = kStart;
#pragma unroll
    for (int m = 0; m < kMiddle; ++m) {
      float line = kStart;
#pragma unroll
      for (int i = 0; i < kMost; ++i) line += along_w[v][i] * masked(widen(taps[m][v][i]), there[v][i]);
      // One tap along the middle axis is the value itself.
      sums = kMiddle == 1 ? line : sums + along_middle[m] * masked(line, rows_there[m]);
    }
    return sums;
  }
};

// kUnit: neighbours along W are neighbours in memory.
template <typename In, typename Out, int kMiddle, int kMost, bool kUnit, bool kBackward>
__global__ void __launch_bounds__(kExpandThreads) expand_columns(const __grid_constant__ ExpandPlan plan) {
  constexpr float kStart = kBackward ? 0.0F : -0.0F;
  let_next_kernel_come();
  const auto item = static_cast<int>(blockIdx.x * kExpandThreads + threadIdx.x);
  if (item >= plan.items) return;
  const Place<int> place = plan.grid.place_of<int>(static_cast<std::uint32_t>(item), plan.slices_last);
  wait_for_kernel_before();
  const int by_w = kUnit ? 1 : plan.from_by.w;
  const int first = place.d * plan.strip;
  const int end_of_strip = min(first + plan.strip, plan.targets);
  const int last = plan.sources - 1;
  int next = plan.march.ends[first] - kMost;
  const std::int64_t by_march = plan.from_by.march;
  const std::int64_t by_middle = plan.from_by.middle;
  const In* from = static_cast<const In*>(plan.from) + place.n * plan.from_by.n +
                   place.slice * plan.from_by.c + (plan.middle.ends[place.h] - kMiddle) * by_middle +
                   next * by_march;
  ExpandSource<In, kMiddle, kMost, kBackward> source;
  int to_columns[kExpandColumns];
#pragma unroll
  for (int v = 0; v < kExpandColumns; ++v) {
    // Past the last column this is the last one, which gets the same value again.
    const int column = min(place.w + v * plan.step, plan.columns - 1);
    to_columns[v] = column * plan.to_by.w;
    asm("" : "+r"(to_columns[v]));  // the compiler would multiply again at every use
    source.at[v] = from + static_cast<std::int64_t>(plan.w.ends[column] - kMost) * by_w;
#pragma unroll
    for (int i = 0; i < kMost; ++i) {
      source.along_w[v][i] = plan.w.weights[column * kMost + i];
      source.there[v][i] = tap_mask(source.along_w[v][i]);
    }
  }
#pragma unroll
  for (int m = 0; m < kMiddle; ++m) {
    source.along_middle[m] = plan.middle.weights[place.h * kMiddle + m];
    source.rows_there[m] = tap_mask(source.along_middle[m]);
  }
  const std::int64_t to_march = plan.to_by.march;
  Out* to = static_cast<Out*>(plan.to) + place.n * plan.to_by.n + place.slice * plan.to_by.c +
            static_cast<std::int64_t>(place.h) * plan.to_by.middle + first * to_march;
  float sums[kMost][kExpandColumns];  // of the sources before `next`
  source.load(by_middle, by_w);
  // What the next target needs of the table is loaded while this one is computed.
  const int* ends = plan.march.ends + first;
  const float* table = plan.march.weights + first * kMost;
  int end = *ends;
  auto weights = load_pack<float, kMost>(table);
  for (int target = first; target < end_of_strip; ++target, to += to_march) {
    if (target + 1 < plan.targets) {
      ++ends;
      table += kMost;
    }
    const int next_end = *ends;
    const auto next_weights = load_pack<float, kMost>(table);
    if (next < end - kMost) {
      source.move((end - kMost - next) * by_march);
      next = end - kMost;
      source.load(by_middle, by_w);
    }
    for (; next < end; ++next) {
#pragma unroll
      for (int v = 0; v < kExpandColumns; ++v) {
#pragma unroll
        for (int i = 0; i + 1 < kMost; ++i) sums[i][v] = sums[i + 1][v];
        sums[kMost - 1][v] = source.sum(v);
      }
      if (next < last) source.move(by_march);
      source.load(by_middle, by_w);
    }
    bool all_there = true;
#pragma unroll
    for (int i = 0; i < kMost; ++i) all_there &= weights.at[i] != 0.0F;
    float results[kExpandColumns];
    if (all_there) {
#pragma unroll
      for (int v = 0; v < kExpandColumns; ++v) {
        results[v] = kStart;
#pragma unroll
        for (int i = 0; i < kMost; ++i) results[v] += weights.at[i] * sums[i][v];
      }
    } else {
#pragma unroll
      for (int v = 0; v < kExpandColumns; ++v) {
        results[v] = kStart;
#pragma unroll
        for (int i = 0; i < kMost; ++i) results[v] += weights.at[i] * tap_value(weights.at[i], sums[i][v]);
      }
    }
#pragma unroll
    for (int v = 0; v < kExpandColumns; ++v) to[to_columns[v]] = narrow<Out>(results[v]);
    end = next_end;
    weights = next_weights;
  }
}

}  // namespace cairn::cuda
