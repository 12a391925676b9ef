#include "ops/kit/cuda/tap_table.cuh"
#include "ops/kit/taps/position.h"

namespace cairn::cuda {
namespace {

// Positions whose cells may have this one among them: they are neighbours, near where the density says.
__device__ Span positions_reaching(const FilterAxis& axis, std::int64_t cell) {
  const double guess = (static_cast<double>(cell) - reach_of(axis)) * density(axis);
  auto first = static_cast<std::int64_t>(fmin(fmax(guess, 0.0), static_cast<double>(axis.out)));
  while (first > 0 && taps::Position::cells_of(axis, first - 1).end > cell) --first;
  while (first < axis.out && taps::Position::cells_of(axis, first).end <= cell) ++first;
  std::int64_t end = first;
  while (end < axis.out && taps::Position::cells_of(axis, end).begin <= cell) ++end;
  return {first, end};
}

// Weight i of a line.
__device__ void fill_weight(const TableOrder& order, int line, int i) {
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

constexpr int kThreads = 128;

__global__ void __launch_bounds__(kThreads) fill_tables(const __grid_constant__ TablesPlan plan) {
  let_next_kernel_come();
  int item = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  wait_for_kernel_before();
  for (const TableOrder& order : plan.orders) {
    const int weights = order.lines * order.table.most;
    if (item < weights) return fill_weight(order, item / order.table.most, item % order.table.most);
    item -= weights;
  }
}

}  // namespace

cudaError_t start_fill_tables(const TablesPlan& plan, std::int64_t weights, cudaStream_t stream) {
  return start_kernel(fill_tables, plan, (weights + kThreads - 1) / kThreads, kThreads, 0, stream);
}

}  // namespace cairn::cuda
