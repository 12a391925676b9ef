#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/march_strides.h"
#include "ops/kit/cuda/tap_table.cuh"

// Planes resampled to smaller ones. A source goes to few targets of the outermost axis, so a thread marches
// along the sources, and adds each to the sums that are open.
namespace cairn::cuda {

inline constexpr int kReduceThreads = 256;
// Half as many in a block of reduce_rows, so that registers of a multiprocessor go unused by fewer: H200,
// ca-224 FLOAT16 0.17 ms, with 256 0.19.
inline constexpr int kReduceRowsThreads = 128;

// The sums of the targets from `open` on, which the sources so far have begun.
template <int kMost, bool kBackward>
struct OpenSums {
  static constexpr float kStart = kBackward ? 0.0F : -0.0F;

  float sums[kMost];
  int open;

  __device__ explicit OpenSums(int target) : open(target) {
#pragma unroll
    for (float& sum : sums) sum = kStart;
  }
  // Hands over the sums of the targets before this one: no source comes that goes to them.
  template <typename Store>
  __device__ void close_before(int target, const Store& store) {
#pragma unroll 1
    for (; open < target; ++open) {
      store(open, sums[0]);
#pragma unroll
      for (int i = 0; i + 1 < kMost; ++i) sums[i] = sums[i + 1];
      sums[kMost - 1] = kStart;
    }
  }
  __device__ void add(const Pack<float, kMost>& weights, float line) {
    bool all_there = true;
#pragma unroll
    for (int i = 0; i < kMost; ++i) all_there &= weights.at[i] != 0.0F;
    if (all_there) {
#pragma unroll
      for (int i = 0; i < kMost; ++i) sums[i] += weights.at[i] * line;
    } else {
#pragma unroll
      for (int i = 0; i < kMost; ++i) sums[i] += weights.at[i] * tap_value(weights.at[i], line);
    }
  }
};

// The weights of a target along W. Of few, masks say which are there; kPairs: of two elements of 16 bits
// each.
template <int kTaps, bool kBackward, bool kPairs = false>
struct LineWeights {
  static constexpr bool kMasked = kPairs || kTaps <= 8;
  static constexpr int kMasks = kPairs ? kTaps / 2 : kMasked ? kTaps : 1;

  float weights[kTaps];
  int there[kMasks];

  __device__ LineWeights(const AxisTable& table, int target) {
#pragma unroll
    for (int i = 0; i < kTaps; ++i) weights[i] = table.weights[target * kTaps + i];
    if constexpr (kPairs) {
#pragma unroll
      for (int i = 0; i < kMasks; ++i)
        there[i] = (tap_mask(weights[2 * i]) & 0xFFFF) | (tap_mask(weights[2 * i + 1]) & ~0xFFFF);
    } else if constexpr (kMasked) {
#pragma unroll
      for (int i = 0; i < kTaps; ++i) there[i] = tap_mask(weights[i]);
    }
  }
  template <typename In>
  __device__ float sum(const In (&taps)[kTaps]) const {
    float line = kBackward ? 0.0F : -0.0F;
    if constexpr (kPairs) {
#pragma unroll
      for (int i = 0; i < kTaps; i += 2) {
        Pack<In, 2> pair{taps[i], taps[i + 1]};
        int bits;
        memcpy(&bits, &pair, sizeof(bits));
        bits &= there[i / 2];
        memcpy(&pair, &bits, sizeof(bits));
        line += weights[i] * widen(pair.at[0]);
        line += weights[i + 1] * widen(pair.at[1]);
      }
    } else {
#pragma unroll
      for (int i = 0; i < kTaps; ++i) {
        const float value = widen(taps[i]);
        line += weights[i] * (kMasked ? masked(value, there[kMasked ? i : 0]) : tap_value(weights[i], value));
      }
    }
    return line;
  }
};

// Where the elements of a line lie: apart, side by side, or in whole pairs or packs that windows are made of.
// Neighbours need no addresses of their own, and packs fewer loads; windows of pairs have fewer taps that are
// not there.
enum class Line { kStrided, kUnit, kPairs, kPacks };
constexpr int line_pack(Line line) { return line == Line::kPacks ? 4 : line == Line::kPairs ? 2 : 1; }

template <Line kLine, typename In, int kTaps>
__device__ void load_line(const In* first, int by_w, In (&taps)[kTaps]) {
  constexpr int kPack = line_pack(kLine);
  if constexpr (kPack > 1) {
#pragma unroll
    for (int i = 0; i < kTaps; i += kPack) {
      const auto pack = load_pack<In, kPack>(first + i);
#pragma unroll
      for (int k = 0; k < kPack; ++k) taps[i + k] = pack.at[k];
    }
  } else {
#pragma unroll
    for (int i = 0; i < kTaps; ++i) taps[i] = first[kLine == Line::kUnit ? i : i * by_w];
  }
}

// The first source that goes to this target or a later one.
__device__ inline int first_source(const AxisTable& by_source, int sources, int target) {
  int low = 0;
  for (int high = sources; low < high;) {
    const int middle = (low + high) / 2;
    if (by_source.ends[middle] > target) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

struct ReducePlan {
  const void* from;
  void* to;
  AxisTable march;  // by source: the targets it goes to
  AxisTable w;
  MarchStrides from_by, to_by;
  Grid<std::uint32_t> grid;  // strips along the march, the middle axis, W
  int items;
  int sources, targets;  // along the march
  int strip;             // of targets
  bool slices_last;
};

template <typename In, typename Out, int kTaps, int kMost, Line kLine, bool kBackward>
__global__ void __launch_bounds__(kReduceRowsThreads) reduce_rows(const __grid_constant__ ReducePlan plan) {
  constexpr bool kPairs = line_pack(kLine) > 1 && sizeof(In) == 2;
  // Rows whose loads are under way at once.
  constexpr int kRows = kTaps <= 4 ? 4 : 2;
  let_next_kernel_come();
  const auto item = static_cast<int>(blockIdx.x * kReduceRowsThreads + threadIdx.x);
  if (item >= plan.items) return;
  const Place<int> place = plan.grid.place_of<int>(static_cast<std::uint32_t>(item), plan.slices_last);
  wait_for_kernel_before();
  const LineWeights<kTaps, kBackward, kPairs> along_w(plan.w, place.w);
  const int first = place.d * plan.strip;
  const int end = min(first + plan.strip, plan.targets);
  const int by_w = plan.from_by.w;
  const std::int64_t by_march = plan.from_by.march;
  const std::int64_t to_march = plan.to_by.march;
  Out* to = static_cast<Out*>(plan.to) + place.n * plan.to_by.n + place.slice * plan.to_by.c +
            static_cast<std::int64_t>(place.h) * plan.to_by.middle +
            static_cast<std::int64_t>(place.w) * plan.to_by.w + first * to_march;
  const auto store = [&](int target, float sum) {
    if (target < first) return;
    *to = narrow<Out>(sum);
    to += to_march;
  };
  const int sources = plan.sources;
  int source = first_source(plan.march, sources, first);
  OpenSums<kMost, kBackward> sums(min(first, plan.march.ends[min(source, sources - 1)] - kMost));
  const In* from = static_cast<const In*>(plan.from) + place.n * plan.from_by.n +
                   place.slice * plan.from_by.c + static_cast<std::int64_t>(place.h) * plan.from_by.middle +
                   static_cast<std::int64_t>(plan.w.ends[place.w] - kTaps) * plan.from_by.w +
                   source * by_march;
  const int* ends = plan.march.ends + source;
  const float* table = plan.march.weights + source * kMost;
  for (; source + kRows <= sources && sums.open < end; source += kRows) {
    In taps[kRows][kTaps];
    int row_ends[kRows];
    Pack<float, kMost> weights[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r, from += by_march, table += kMost) {
      row_ends[r] = *ends++;
      weights[r] = load_pack<float, kMost>(table);
      load_line<kLine>(from, by_w, taps[r]);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      sums.close_before(min(row_ends[r] - kMost, end), store);
      sums.add(weights[r], along_w.sum(taps[r]));
    }
  }
  for (; source < sources && sums.open < end; ++source, from += by_march, table += kMost) {
    In taps[kTaps];
    load_line<kLine>(from, by_w, taps);
    sums.close_before(min(*ends++ - kMost, end), store);
    sums.add(load_pack<float, kMost>(table), along_w.sum(taps));
  }
  sums.close_before(end, store);
}

}  // namespace cairn::cuda
