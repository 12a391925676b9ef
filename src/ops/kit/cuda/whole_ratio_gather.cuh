#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/march_strides.h"
#include "ops/kit/cuda/whole_ratio_rows.cuh"

// Gradients of upsampling by whole numbers: weights that the compiler knows, so no tables. A thread has some
// cells side by side, in 3D of some rows, and marches along the outermost axis: it sums the rows of a plane
// along W, adds them up along the middle axis, and that to the cells that the plane goes to. The next rows
// are loaded meanwhile.
namespace cairn::cuda {

struct GatherPlan {
  const void* from;
  void* to;
  MarchStrides from_by, to_by;
  Grid<std::uint32_t> grid;  // tiles along the middle axis and W; slices are channels, or packs of them
  int items;                 // of a strip
  int blocks;                // of a strip
  int cells, cells_middle, cells_w;
  int strip;  // of cells along the march
  bool slices_last;
};

// The sums of the cells that a position of the march goes to: number kReach / 2 - 1 is the cell before it.
template <typename Ratio, int kRows, int kSums, bool kShort>
struct OpenCells {
  float sums[Ratio::kReach][kRows][kSums];

  __device__ OpenCells() {
#pragma unroll
    for (auto& slot : sums) {
#pragma unroll
      for (auto& row : slot) {
#pragma unroll
        for (float& sum : row) sum = 0.0F;
      }
    }
  }
  // Position k past cell `cell`.
  __device__ void add(int k, int cell, int cells, const float (&values)[kRows][kSums]) {
#pragma unroll
    for (int slot = 0; slot < Ratio::kReach; ++slot) {
      const int tap = (Ratio::kReach - 1 - slot) * Ratio::kRatio + k;
      const int own = cell - (Ratio::kReach / 2 - 1) + slot;
      const float weight = Ratio::weight(tap, own == 0, own == cells - 1);
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
#pragma unroll
        for (int i = 0; i < kSums; ++i) {
          float& sum = sums[slot][row][i];
          sum = kShort && Ratio::is_power_of_two(tap) ? add_product<true>(sum, weight, values[row][i])
                                                      : add_product<false>(sum, weight, values[row][i]);
        }
      }
    }
  }
  __device__ void shift() {
#pragma unroll
    for (int slot = 0; slot < Ratio::kReach; ++slot) {
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
#pragma unroll
        for (int i = 0; i < kSums; ++i)
          sums[slot][row][i] = slot + 1 < Ratio::kReach ? sums[slot + 1][row][i] : 0.0F;
      }
    }
  }
};

// The rows of a plane added up along the middle axis; of none, the row itself.
template <typename Ratio, int kTileRows, int kSums, bool kShort>
struct MiddleSums {
  static constexpr int kRows = kTileRows == 0 ? 1 : kTileRows;
  // Of gradients that the rows need.
  static constexpr int kSources = kTileRows == 0 ? 1 : kTileRows * Ratio::kRatio + 2 * Ratio::kHalo;

  CellWeights<Ratio, kRows> weights;
  float sums[kRows][kSums];

  __device__ MiddleSums(bool is_first, bool is_last) : weights(is_first, is_last) {}

  __device__ void add(int source, const float (&values)[kSums]) {
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      const int tap = source - row * Ratio::kRatio;
      if (kTileRows > 0 && (tap < 0 || tap >= Ratio::kTaps)) continue;
#pragma unroll
      for (int i = 0; i < kSums; ++i) {
        if constexpr (kTileRows == 0) {
          sums[row][i] = values[i];
        } else if (tap == 0) {
          sums[row][i] = weights.at(row, tap) * values[i];
        } else {
          sums[row][i] = kShort && Ratio::is_power_of_two(tap)
                             ? add_product<true>(sums[row][i], weights.at(row, tap), values[i])
                             : add_product<false>(sums[row][i], weights.at(row, tap), values[i]);
        }
      }
    }
  }
};

// kTileRows: of cells along the middle axis, or 0 where it is not resampled. kAhead: rows that are loaded
// before they are needed. kPeriods: cells along the march that a turn of the loop ends.
template <typename Row, typename Out, int kTileRows, int kAhead, int kPeriods, int kThreads, int kResident>
__global__ void __launch_bounds__(kThreads, kResident)
    gather_whole_ratio(const __grid_constant__ GatherPlan plan) {
  using Ratio = typename Row::Ratio;
  using In = typename Row::Element;
  using Middle = MiddleSums<Ratio, kTileRows, Row::kSums, kShortElement<In>>;
  constexpr int kSources = Middle::kSources;
  constexpr int kPlanes = kPeriods * Ratio::kRatio;
  constexpr int kSteps = kPlanes * kSources;
  static_assert(kSteps % kAhead == 0);
  let_next_kernel_come();
  const int strip = static_cast<int>(blockIdx.x) / plan.blocks;
  const int own_item =
      (static_cast<int>(blockIdx.x) - strip * plan.blocks) * kThreads + static_cast<int>(threadIdx.x);
  const bool is_there = own_item < plan.items;
  // Past the end threads go along, since their neighbours ask them.
  const int item = is_there ? own_item : plan.items - 1;
  const Place<int> place =
      plan.grid.template place_of<int>(static_cast<std::uint32_t>(item), plan.slices_last);
  // Where the last tile would go past the end, it has cells of the one before it too.
  const int first_w =
      Row::kOverlaps ? min(place.w * Row::kCells, plan.cells_w - Row::kCells) : place.w * Row::kCells;
  const int first_row = kTileRows == 0 ? place.h : min(place.h * kTileRows, plan.cells_middle - kTileRows);
  const Row row(first_w, plan.cells_w, plan.from_by.w);
  Middle middle(first_row == 0, first_row + kTileRows == plan.cells_middle);
  OpenCells<Ratio, Middle::kRows, Row::kSums, kShortElement<In>> open;
  const int first = strip * plan.strip;
  const int end = min(first + plan.strip, plan.cells);
  const int planes = plan.cells * Ratio::kRatio;
  const int rows = plan.cells_middle * Ratio::kRatio;
  // The first row that the thread reads of a plane.
  const int source_row = kTileRows == 0 ? place.h : first_row * Ratio::kRatio - Ratio::kHalo;
  const In* from = static_cast<const In*>(plan.from) + place.n * plan.from_by.n +
                   place.slice * Row::kChannels * plan.from_by.c;
  Out* to =
      static_cast<Out*>(plan.to) + place.n * plan.to_by.n + place.slice * Row::kChannels * plan.to_by.c +
      static_cast<std::int64_t>(first_row) * plan.to_by.middle +
      static_cast<std::int64_t>(first_w) * plan.to_by.w + static_cast<std::int64_t>(first) * plan.to_by.march;
  // Position 0 past the cell before the first that this strip has part in.
  int cell = max(first - Ratio::kReach / 2, -1);
  int plane = cell * Ratio::kRatio + Ratio::kRatio / 2;  // of the next row to be loaded
  const int end_plane = min((end + Ratio::kReach / 2 - 1) * Ratio::kRatio + Ratio::kRatio / 2, planes);
  from += static_cast<std::int64_t>(plane) * plan.from_by.march +
          static_cast<std::int64_t>(source_row) * plan.from_by.middle +
          static_cast<std::int64_t>(first_w * Ratio::kRatio) * plan.from_by.w;
  const std::int64_t by_row = plan.from_by.middle;
  const std::int64_t by_plane = plan.from_by.march - (kSources - 1) * by_row;
  wait_for_kernel_before();
  from = keep(from);
  typename Row::Raw ahead[kAhead];
  const auto load_next = [&](int source, typename Row::Raw& raw) {
    bool there = plane >= 0 && plane < end_plane;
    if (kTileRows > 0) {
      if (source < Ratio::kHalo) there = there && source_row + source >= 0;
      if (source >= kSources - Ratio::kHalo) there = there && source_row + source < rows;
    }
    row.load(raw, there, from);
    if (source < kSources - 1) {
      from += by_row;
    } else {
      from += by_plane;
      ++plane;
    }
  };
#pragma unroll
  for (int step = 0; step < kAhead; ++step) load_next(step % kSources, ahead[step]);
#pragma unroll 1
  while (cell < end + Ratio::kReach / 2 - 1) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      float sums[Row::kSums];
      row.sum(ahead[step % kAhead], sums);
      load_next((step + kAhead) % kSources, ahead[step % kAhead]);
      middle.add(step % kSources, sums);
      if (step % kSources != kSources - 1) continue;
      const int k = step / kSources % Ratio::kRatio;
      open.add(k, cell, plan.cells, middle.sums);
      if (k != Ratio::kRatio - 1) continue;
      const int done = cell - (Ratio::kReach / 2 - 1);
      if (done >= first && done < end) {
        if (is_there) {
#pragma unroll
          for (int r = 0; r < Middle::kRows; ++r)
            Row::store(to + r * plan.to_by.middle, plan.to_by.w, open.sums[0][r]);
        }
        to += plan.to_by.march;
      }
      open.shift();
      ++cell;
    }
  }
}

}  // namespace cairn::cuda
