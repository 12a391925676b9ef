#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/taps/position.h"

// The taps of every target along an axis, computed once for a launch: threads that each found their own would
// do little else.
namespace cairn::cuda {

// Each target has `most` weights, of the sources that end with ends[target] - 1. One of 0 is no tap, and its
// source need not be there.
struct AxisTable {
  int* ends;
  float* weights;
  int most;
};

struct TablesPlan {
  FilterAxis axes[3];
  int targets[3];
  AxisTable tables[3];
};

// Positions per cell, as far as one can say.
constexpr double density(const FilterAxis& axis) {
  if (axis.scale > 0) return axis.scale;
  if (!axis.align_corners) return static_cast<double>(axis.out) / static_cast<double>(axis.in);
  return static_cast<double>(axis.in > 1 ? axis.out - 1 : axis.out) /
         static_cast<double>(axis.in > 1 ? axis.in - 1 : 1);
}

// How far a position's cells may lie from it.
constexpr double reach_of(const FilterAxis& axis) {
  const double half = axis.filter == Filter::kCubic || axis.filter == Filter::kAntialiasedCubic ? 2.0 : 1.0;
  const bool stretched =
      axis.filter == Filter::kAntialiasedLinear || axis.filter == Filter::kAntialiasedCubic;
  return stretched && density(axis) < 1.0 ? half / density(axis) : half;
}

// Positions whose cells may have this one among them: they are neighbours, near where the density says.
__device__ inline Span positions_reaching(const FilterAxis& axis, std::int64_t cell) {
  const double guess = (static_cast<double>(cell) - reach_of(axis)) * density(axis);
  auto first = static_cast<std::int64_t>(fmin(fmax(guess, 0.0), static_cast<double>(axis.out)));
  while (first > 0 && taps::Position(axis, first - 1).cells().end > cell) --first;
  while (first < axis.out && taps::Position(axis, first).cells().end <= cell) ++first;
  std::int64_t end = first;
  while (end < axis.out && taps::Position(axis, end).cells().begin <= cell) ++end;
  return {first, end};
}

template <bool kBackward>
__global__ void __launch_bounds__(128) fill_tables(const __grid_constant__ TablesPlan plan) {
  let_next_kernel_come();
  int target = static_cast<int>(blockIdx.x * 128 + threadIdx.x);
  int which = 0;
  while (which < 3 && target >= plan.targets[which]) target -= plan.targets[which++];
  if (which == 3) return;
  const FilterAxis axis = plan.axes[which];
  const AxisTable table = plan.tables[which];
  const taps::Position own(axis, kBackward ? 0 : target);
  const Span sources = kBackward ? positions_reaching(axis, target) : own.cells();
  wait_for_kernel_before();
  for (int i = 0; i < table.most; ++i) {
    const std::int64_t source = sources.end - table.most + i;
    double weight = 0;
    if (source >= sources.begin) {
      if constexpr (kBackward) {
        const taps::Position position(axis, source);
        if (position.cells().has(target)) weight = position.weight(target);
      } else {
        weight = own.weight(source);
      }
    }
    table.weights[static_cast<std::int64_t>(target) * table.most + i] = static_cast<float>(weight);
  }
  table.ends[target] = static_cast<int>(sources.end);
}

}  // namespace cairn::cuda
