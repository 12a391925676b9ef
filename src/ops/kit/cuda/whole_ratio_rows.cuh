#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/whole_ratio.cuh"

// A row of gradients summed along W to some cells of a thread, for ratios that are whole numbers. What lies
// past the border is loaded as 0, which adds nothing.
namespace cairn::cuda {

template <typename In>
inline constexpr bool kShortElement = !std::is_same_v<In, float>;

// Products of a gradient in 16 bits and one of the weights are exact in float: fused or not, the same bits.
// But at the border some cubic weights are above 1, and the largest bfloat16 times one of those is infinite.
template <typename In, typename Ratio>
inline constexpr bool kExactProducts = kShortElement<In> &&
                                       (Ratio::kKind == Filter::kLinear || std::is_same_v<In, __half>);

template <bool kExactProduct>
__device__ float add_product(float sum, float weight, float value) {
  return kExactProduct ? __fmaf_rn(weight, value, sum) : sum + weight * value;
}

// The weights of cells side by side, of which the first and the last may be the axis's own.
template <typename Ratio, int kCells>
struct CellWeights {
  float of_first[Ratio::kTaps];
  float of_last[Ratio::kTaps];

  __device__ CellWeights(bool is_first, bool is_last) {
#pragma unroll
    for (int tap = 0; tap < Ratio::kTaps; ++tap) {
      of_first[tap] = Ratio::weight(tap, is_first, kCells == 1 && is_last);
      of_last[tap] = Ratio::weight(tap, false, is_last);
    }
  }
  __device__ float at(int cell, int tap) const {
    return cell == 0 ? of_first[tap] : cell == kCells - 1 ? of_last[tap] : Ratio::weight(tap);
  }
};

template <typename Ratio, int kCells, typename In, int kCount>
__device__ void sum_cells(const CellWeights<Ratio, kCells>& weights, const float (&values)[kCount],
                          float* sums, int step) {
#pragma unroll
  for (int cell = 0; cell < kCells; ++cell) {
    // From the first product on: the sum that it ends in starts from +0.0, and no -0.0 gets past that.
    float sum = weights.at(cell, 0) * values[cell * Ratio::kRatio];
#pragma unroll
    for (int tap = 1; tap < Ratio::kTaps; ++tap)
      sum = add_product<kExactProducts<In, Ratio>>(sum, weights.at(cell, tap),
                                                   values[cell * Ratio::kRatio + tap]);
    sums[cell * step] = sum;
  }
}

// Elements side by side along W: a thread loads those that lie on its cells, and has the rest from its
// neighbours. At the ends of a warp it loads them too, where rows go across (kEdges).
template <typename In, typename Ratio_, int kCells_, bool kEdges_>
class RunRow {
 public:
  using Ratio = Ratio_;
  using Element = In;
  static constexpr int kCells = kCells_;
  static constexpr int kSums = kCells;
  static constexpr bool kEdges = kEdges_;
  static constexpr bool kOverlaps = false;  // neighbours ask for what lies between them
  static constexpr int kChannels = 1;

 private:
  static constexpr int kColumns = kCells * Ratio::kRatio;
  static constexpr int kPack =
      kColumns < static_cast<int>(16 / sizeof(In)) ? kColumns : static_cast<int>(16 / sizeof(In));
  static constexpr int kPacks = kColumns / kPack;
  static constexpr int kWords = kColumns * static_cast<int>(sizeof(In)) / 4;
  static constexpr int kEdge = Ratio::kHalo == 1   ? static_cast<int>(4 / sizeof(In))
                               : Ratio::kHalo == 2 ? 2
                                                   : 4;
  static constexpr int kEdgeWords = kEdge * static_cast<int>(sizeof(In)) / 4;
  static constexpr int kHaloWords = (Ratio::kHalo * static_cast<int>(sizeof(In)) + 3) / 4;
  static_assert(kHaloWords <= kWords);

 public:
  struct Raw {
    Pack<In, kPack> packs[kPacks];
    Pack<In, kEdge> edge;
  };

  // Cells from `cell` on, of an axis of so many.
  __device__ RunRow(int cell, int cells, int /*by_w*/) : weights_(cell == 0, cell + kCells == cells) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const bool is_first = cell == 0;
    const bool is_last = cell + kCells == cells;
    from_before_ = !is_first && lane > 0;
    from_after_ = !is_last && lane < 31;
    edge_before_ = !is_first && lane == 0;
    edge_after_ = !is_last && lane == 31;
    edge_at_ = edge_before_ ? -kEdge : kColumns;
  }

  // `row` is where the cells' own elements begin.
  __device__ void load(Raw& raw, bool there, const In* row) const {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) raw.packs[i] = load_pack_if<In, kPack>(there, row + i * kPack);
    if constexpr (kEdges)
      raw.edge = load_pack_if<In, kEdge>(there && (edge_before_ || edge_after_), row + edge_at_);
  }

  __device__ void sum(const Raw& raw, float (&sums)[kSums]) const {
    unsigned words[kHaloWords + kWords + kHaloWords];
    unsigned edge[kEdgeWords];
    memcpy(words + kHaloWords, raw.packs, sizeof(raw.packs));
    if constexpr (kEdges) memcpy(edge, &raw.edge, sizeof(edge));
#pragma unroll
    for (int i = 0; i < kHaloWords; ++i) {
      const unsigned before = __shfl_up_sync(~0U, words[kWords + i], 1);
      const unsigned after = __shfl_down_sync(~0U, words[kHaloWords + i], 1);
      words[i] = from_before_ ? before : kEdges && edge_before_ ? edge[kEdgeWords - kHaloWords + i] : 0U;
      words[kHaloWords + kWords + i] = from_after_ ? after : kEdges && edge_after_ ? edge[i] : 0U;
    }
    constexpr int kAll = (kHaloWords + kWords + kHaloWords) * 4 / static_cast<int>(sizeof(In));
    constexpr int kSkipped = kHaloWords * 4 / static_cast<int>(sizeof(In)) - Ratio::kHalo;
    In elements[kAll];
    memcpy(elements, words, sizeof(words));
    float values[kColumns + 2 * Ratio::kHalo];
#pragma unroll
    for (int i = 0; i < kColumns + 2 * Ratio::kHalo; ++i) values[i] = widen(elements[kSkipped + i]);
    sum_cells<Ratio, kCells, In>(weights_, values, sums, 1);
  }

  template <typename Out>
  __device__ static void store(Out* to, int /*by_w*/, const float (&sums)[kSums]) {
    Pack<Out, kCells> pack;
#pragma unroll
    for (int i = 0; i < kCells; ++i) pack.at[i] = narrow<Out>(sums[i]);
    store_pack(to, pack);
  }

 private:
  CellWeights<Ratio, kCells> weights_;
  bool from_before_, from_after_, edge_before_, edge_after_;
  int edge_at_;
};

// Channels side by side: a thread has a pack of them, and loads every column that its cells need.
template <typename In, typename Ratio_, int kCells_, int kChannels_>
class ChannelRow {
 public:
  using Ratio = Ratio_;
  using Element = In;
  static constexpr int kCells = kCells_;
  static constexpr int kChannels = kChannels_;
  static constexpr int kSums = kCells * kChannels;
  static constexpr bool kOverlaps = true;

 private:
  static constexpr int kColumns = kCells * Ratio::kRatio + 2 * Ratio::kHalo;

 public:
  struct Raw {
    Pack<In, kChannels> packs[kColumns];
  };

  __device__ ChannelRow(int cell, int cells, int by_w)
      : weights_(cell == 0, cell + kCells == cells),
        first_(cell * Ratio::kRatio - Ratio::kHalo),
        columns_(cells * Ratio::kRatio),
        by_w_(by_w) {}

  __device__ void load(Raw& raw, bool there, const In* row) const {
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      const bool inside = i < Ratio::kHalo               ? first_ + i >= 0
                          : i >= kColumns - Ratio::kHalo ? first_ + i < columns_
                                                         : true;
      raw.packs[i] = load_pack_if<In, kChannels>(there && inside, row + (i - Ratio::kHalo) * by_w_);
    }
  }

  __device__ void sum(const Raw& raw, float (&sums)[kSums]) const {
#pragma unroll
    for (int channel = 0; channel < kChannels; ++channel) {
      float values[kColumns];
#pragma unroll
      for (int i = 0; i < kColumns; ++i) values[i] = widen(raw.packs[i].at[channel]);
      sum_cells<Ratio, kCells, In>(weights_, values, sums + channel, kChannels);
    }
  }

  template <typename Out>
  __device__ static void store(Out* to, int by_w, const float (&sums)[kSums]) {
#pragma unroll
    for (int cell = 0; cell < kCells; ++cell) {
      Pack<Out, kChannels> pack;
#pragma unroll
      for (int i = 0; i < kChannels; ++i) pack.at[i] = narrow<Out>(sums[cell * kChannels + i]);
      store_pack(to + cell * by_w, pack);
    }
  }

 private:
  CellWeights<Ratio, kCells> weights_;
  int first_, columns_, by_w_;
};

}  // namespace cairn::cuda
