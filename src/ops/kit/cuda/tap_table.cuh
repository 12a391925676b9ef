#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/ptx.cuh"
#include "ops/kit/taps/axis.h"

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
  return keep(weight != 0.0F ? ~0 : 0);  // the compiler would compare the weight again at every use
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

// Fills the tables, so many weights in all.
cudaError_t start_fill_tables(const TablesPlan& plan, std::int64_t weights, cudaStream_t stream);

}  // namespace cairn::cuda
