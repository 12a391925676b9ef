#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/taps/position.h"

// The taps of every target along an axis, computed once for a launch: threads that each found their own would
// do little else.
namespace cairn::cuda {

// Each target has `most` weights, of the sources that end with ends[target] - 1. One of -0.0 is no tap, and
// its source need not be there; it is where the axis has as many sources.
struct AxisTable {
  int* ends;
  float* weights;
  int most;
};

// A tap that is not there counts as +0.0: times its weight of -0.0 it changes no sum. All bits of the mask
// are set where the tap is there.
__device__ inline int tap_mask(float weight) {
  int mask = weight != 0.0F ? ~0 : 0;
  asm("" : "+r"(mask));  // the compiler would compare the weight again at every use
  return mask;
}
__device__ inline float masked(float value, int mask) { return __int_as_float(__float_as_int(value) & mask); }
// The same where masks would take too many registers.
__device__ inline float tap_value(float weight, float value) { return weight != 0.0F ? value : 0.0F; }

// A table of an axis: by cell, of the positions that reach it, or by position, of the cells that it reaches.
struct TableOrder {
  FilterAxis axis;
  AxisTable table;
  int lines;
  bool by_cell;
  int align = 1;  // windows begin and end at multiples of this, as do the sources
};

struct TablesPlan {
  static constexpr int kOrders = 3;
  TableOrder orders[kOrders];
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
  while (first > 0 && taps::Position::cells_of(axis, first - 1).end > cell) --first;
  while (first < axis.out && taps::Position::cells_of(axis, first).end <= cell) ++first;
  std::int64_t end = first;
  while (end < axis.out && taps::Position::cells_of(axis, end).begin <= cell) ++end;
  return {first, end};
}

// Weight i of a line.
__device__ inline void fill_weight(const TableOrder& order, int line, int i) {
  const FilterAxis& axis = order.axis;
  const bool is_kept = axis.keeps_values();
  const Span there = is_kept         ? Span{line, line + 1}
                     : order.by_cell ? positions_reaching(axis, line)
                                     : taps::Position::cells_of(axis, line);
  const std::int64_t sources = order.by_cell ? axis.out : axis.in;
  const int most = order.table.most;
  const std::int64_t align = order.align;
  const std::int64_t end =
      max((there.end + align - 1) / align * align, min(static_cast<std::int64_t>(most), sources));
  const std::int64_t source = end - most + i;
  double weight = 0;
  if (there.has(source)) {
    const taps::Position position(axis, order.by_cell ? source : line);
    const std::int64_t cell = order.by_cell ? line : source;
    if (is_kept) {
      weight = 1;
    } else if (position.cells().has(cell)) {
      weight = position.weight(cell);
    }
  }
  const auto rounded = static_cast<float>(weight);
  order.table.weights[static_cast<std::int64_t>(line) * most + i] = rounded == 0.0F ? -0.0F : rounded;
  if (i == 0) order.table.ends[line] = static_cast<int>(end);
}

// Of no template parameters, and in every object file that includes this: each needs its own.
static __global__ void __launch_bounds__(128) fill_tables(const __grid_constant__ TablesPlan plan) {
  let_next_kernel_come();
  int item = static_cast<int>(blockIdx.x * 128 + threadIdx.x);
  wait_for_kernel_before();
  for (const TableOrder& order : plan.orders) {
    const int weights = order.lines * order.table.most;
    if (item < weights) return fill_weight(order, item / order.table.most, item % order.table.most);
    item -= weights;
  }
}

}  // namespace cairn::cuda
