#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "ops/kit/window_axis.h"
#include "ops/max_pool/cpu/band_grid.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

enum class Way {
  kByRows,      // reduced along W, then H, then D
  kByPairs,     // windows of two along W that do not overlap, all taps at once
  kByChannels,  // channels side by side, all taps at once
  kByCells,     // windows reach too far for anything else
};

// How a call is cut into blocks of windows: some channels that lie side by side (or one), a stretch of W, a
// few rows of H, one slice of D. Blocks of neighbouring slices follow each other, so that what their windows
// share is still there.
struct Blocks {
  Way way = Way::kByCells;
  std::int64_t channels = 1;
  std::int64_t groups = 0;   // of channels, over all of N and C
  std::int64_t windows = 1;  // along W
  std::int64_t stretches = 0;
  std::int64_t rows = 1;  // along H
  std::int64_t batches = 0;
  std::int64_t slots = 0;  // by rows: slices kept, their windows' best along W and H; none if D is trivial
  std::int64_t ring = 1;   // by rows: input rows kept, their windows' best along W; a power of 2
  std::int64_t pitch = 0;  // room for a row of windows
  bool half_channels = false;  // by channels: 16 bits are enough to say where in a window a tap lies
  bool bands = false;          // by rows: bands of them at once, unless something in a block asks for care

  static constexpr std::int64_t kMostBlock = 4096;  // windows times channels
  static constexpr std::int64_t kSmallBlock = 1024;
  static constexpr std::int64_t kPairsBlock = 512;  // where windows share no rows
  static constexpr std::int64_t kNear = 256 << 10;
  static constexpr std::int64_t kMostInput = 32768;  // elements of an input row, with padding

  Blocks(const Plan& plan, const WindowAxes& axes, std::int64_t workers, std::int64_t lanes) {
    if (plan.in.count() > std::numeric_limits<std::int32_t>::max()) return;
    std::int64_t most_windows = 1024;
    if (plan.c > 1 && plan.self.c == 1 && plan.self.w != 1) {
      way = Way::kByChannels;
      channels = std::min(plan.c, kMostBlock);
      most_windows = kMostBlock / channels;
    } else if (has_pairs(plan) && plan.out.w >= lanes) {
      way = Way::kByPairs;
    } else if (axes.w.extent <= kMostInput) {
      way = Way::kByRows;
      most_windows = std::min(most_windows, (kMostInput - axes.w.extent) / plan.stride.w + 1);
    }
    groups = plan.n * ((plan.c + channels - 1) / channels);
    stretches = (plan.out.w + most_windows - 1) / most_windows;
    windows = (plan.out.w + stretches - 1) / stretches;
    pitch = (windows * channels + lanes - 1) / lanes * lanes;
    if (way == Way::kByRows) keep_rows(plan, axes);
    half_channels = way == Way::kByChannels && lanes > 1 && reach(plan, axes) <= kMostReach;
    bands = way == Way::kByRows && lanes > 1 && suits_bands(plan, axes);
    // A few rows at a time keep reading and writing apart least; slabs want to be whole slices.
    const std::int64_t few = way == Way::kByPairs ? kPairsBlock : kSmallBlock;
    rows = std::max<std::int64_t>((slots > 0 ? kMostBlock : few) / (windows * channels), 1);
    if (slots > 0) rows = std::min(rows, std::max<std::int64_t>(kNear / (pitch * 8 * slots), 1));
    constexpr std::int64_t kBlocksPerWorker = 4;
    const std::int64_t most = groups * stretches * plan.out.h * plan.out.d / (workers * kBlocksPerWorker) + 1;
    rows = std::min({rows, most, plan.out.h});
    if (bands && plan.type != DataType::kFloat) limit_positions(plan);
    batches = (plan.out.h + rows - 1) / rows;
    rows = (plan.out.h + batches - 1) / batches;
  }

  std::int64_t count(const Plan& plan) const { return groups * stretches * batches * plan.out.d; }

  // Blocks follow each other along D where windows share slices, so that what they share is still there; else
  // as they lie in memory.
  bool slices_first(const Plan& plan, const WindowAxes& axes) const {
    return slots > 0 && plan.stride.d < axes.d.extent;
  }

 private:
  static bool has_pairs(const Plan& plan) {
    return plan.self.w == 1 && plan.kernel.w == 2 && plan.stride.w == 2 && plan.padding.w == 0 &&
           plan.dilation.w == 1 && 2 * plan.out.w <= plan.in.w;
  }

  static constexpr std::int64_t kMostReach = 0xFFFF;

  // How far a window's last tap lies behind its first, at most.
  static std::int64_t reach(const Plan& plan, const WindowAxes& axes) {
    const auto along = [](const WindowAxis& axis) { return std::min(axis.extent, axis.in) - 1; };
    return (along(axes.d) * plan.in.h + along(axes.h)) * plan.in.w + along(axes.w);
  }

  // Small windows side by side, each with a tap in the plane.
  static bool suits_bands(const Plan& plan, const WindowAxes& axes) {
    const auto suits = [](const WindowAxis& axis) {
      return axis.kernel <= BandGrid::kMostKernel && axis.dilation == 1 && axis.taps(0).size() > 0 &&
             axis.taps(axis.out - 1).size() > 0;
    };
    return plan.self.w == 1 && plan.stride.w <= 2 && suits(axes.d) && suits(axes.h) && suits(axes.w);
  }

  // Half types have 16 bits for positions in what a block looks at.
  void limit_positions(const Plan& plan) {
    const std::int64_t left = kMostReach + 1 - (plan.kernel.d - 1) * plan.in.h * plan.in.w;
    const std::int64_t most_rows = left / plan.in.w;
    if (most_rows < std::min(plan.kernel.h, plan.in.h)) {
      bands = false;
    } else if (most_rows < plan.in.h) {
      rows = std::min(rows, (most_rows - plan.kernel.h) / plan.stride.h + 1);
    }
  }

  void keep_rows(const Plan& plan, const WindowAxes& axes) {
    constexpr std::int64_t kTooFar = 8 << 20;
    slots = plan.kernel.d > 1 ? axes.d.extent : 0;
    const std::int64_t reach = std::clamp<std::int64_t>(plan.in.h, 1, axes.h.extent);
    const std::int64_t row_bytes = pitch * 8;
    if (slots > kTooFar / row_bytes || reach > kTooFar / row_bytes) way = Way::kByCells;
    ring = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(reach)));
  }
};

// Where windows soon to come have their rows, in elements from here. In small planes that is the next slab:
// its rows come before those of this slab's other slices.
inline std::int64_t some_rows_further(const Plan& plan, std::int64_t element_size) {
  constexpr std::int64_t kAhead = 2048;
  constexpr std::int64_t kSmallSlab = 16384;
  // A single window may have any stride; where the next would lie does not matter then.
  const auto distance = [](std::int64_t stride, std::int64_t step) {
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    std::int64_t result = 0;
    return __builtin_mul_overflow(stride, step, &result) || result > kFar ? 0 : result;
  };
  const std::int64_t slab = distance(plan.stride.d, plan.self.d);
  const bool by_slabs = plan.out.d > 1 && plan.kernel.d > 1 && slab * element_size <= kSmallSlab;
  const std::int64_t step = by_slabs ? slab : distance(plan.stride.h, plan.self.h);
  const std::int64_t bytes = std::max<std::int64_t>(step * element_size, 1);
  return (kAhead + bytes - 1) / bytes * step;
}

}  // namespace cairn::max_pool
