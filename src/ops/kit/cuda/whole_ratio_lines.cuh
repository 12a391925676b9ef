#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/march_strides.h"
#include "ops/kit/cuda/whole_ratio_rows.cuh"

// Gradients of lines that became a whole number of times as long, where no other axis did. A thread has the
// same cells of some lines, whose loads are under way at once.
namespace cairn::cuda {

struct GatherLinesPlan {
  const void* from;
  void* to;
  MarchStrides from_by, to_by;
  Grid<std::uint32_t> grid;       // of lines
  Divider<std::uint32_t> by_run;  // runs of a line
  int items;
  int lines, cells;
};

template <typename Row, typename Out, int kLines, int kThreads>
__global__ void __launch_bounds__(kThreads) gather_lines(const __grid_constant__ GatherLinesPlan plan) {
  using In = typename Row::Element;
  let_next_kernel_come();
  const auto own_item = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  // Past the end threads go along, since their neighbours ask them.
  const auto item = static_cast<std::uint32_t>(min(own_item, plan.items - 1));
  const std::uint32_t group = plan.by_run.divide(item);
  const auto cell = static_cast<int>(plan.by_run.rest(item, group)) * Row::kCells;
  const Row row(cell, plan.cells, 1);
  const In* from = static_cast<const In*>(plan.from) + cell * Row::Ratio::kRatio;
  Out* to = static_cast<Out*>(plan.to) + cell;
  wait_for_kernel_before();
  from = keep(from);
  typename Row::Raw raw[kLines];
  Place<int> places[kLines];
  bool there[kLines];
#pragma unroll
  for (int i = 0; i < kLines; ++i) {
    const int line = static_cast<int>(group) * kLines + i;
    there[i] = line < plan.lines;
    places[i] = plan.grid.template place_of<int>(static_cast<std::uint32_t>(line), /*slices_last=*/false);
    row.load(raw[i], there[i], from + plan.from_by.line(places[i]));
  }
#pragma unroll
  for (int i = 0; i < kLines; ++i) {
    float sums[Row::kSums];
    row.sum(raw[i], sums);
#pragma unroll
    for (float& sum : sums) sum += 0.0F;  // no -0.0
    if (there[i] && own_item < plan.items) Row::store(to + plan.to_by.line(places[i]), 1, sums);
  }
}

}  // namespace cairn::cuda
