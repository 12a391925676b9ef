#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "common/view.h"
#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/views.h"
#include "ops/kit/long_sum.h"
#include "ops/kit/mean_axis.h"
#include "ops/kit/mean_divisor.h"

namespace cairn::cuda {

// Mean pooling, or its gradient, of any sizes and strides: a thread sums one window, or one cell.
struct MeanCells {
  static constexpr int kThreads = 256;

  const void* read;
  void* written;
  MeanAxis d, h, w;
  MeanDivisor divisor;
  Strides<std::int64_t> from, to;
  Grid<std::uint64_t> grid;
  std::uint64_t items;
  bool slices_last;
};

// `written` is the plan's view of what is summed, of planes of this size.
template <typename Plan>
MeanCells mean_cells(const Plan& plan, const View5& read, const View5& written, const Size3& size) {
  const std::int64_t items = plan.n * plan.c * size.count();
  return {.read = read.data,
          .written = written.data,
          .d = plan.d,
          .h = plan.h,
          .w = plan.w,
          .divisor = plan.divisor,
          .from = strides_of<std::int64_t>(read),
          .to = strides_of<std::int64_t>(written),
          .grid = items == 0 ? Grid<std::uint64_t>() : Grid<std::uint64_t>(plan.c, size),
          .items = static_cast<std::uint64_t>(items),
          .slices_last = plan.c > 1 && written.c == 1};
}

inline cudaError_t start_mean_cells(void (*kernel)(MeanCells), const MeanCells& cells, cudaStream_t stream) {
  if (cells.items == 0) return cudaSuccess;
  return start_kernel(kernel, cells, divide_up(static_cast<std::int64_t>(cells.items), MeanCells::kThreads),
                      MeanCells::kThreads, 0, stream);
}

// The sum of what a box gives, ascending; term(d, h, w) is one of its terms.
template <typename Sum, typename Term>
__device__ Sum sum_of_box(const Span& d, const Span& h, const Span& w, const Term& term) {
  const auto each = [&](const auto& add) {
    for (std::int64_t i = d.begin; i < d.end; ++i)
      for (std::int64_t j = h.begin; j < h.end; ++j)
        for (std::int64_t k = w.begin; k < w.end; ++k) add(term(i, j, k));
  };
  if (d.size() * h.size() * w.size() <= long_sum::kLanes) {
    Sum sum = 0;
    each([&](Sum value) { sum += value; });
    return sum;
  }
  LongSum<Sum> sum;
  each([&](Sum value) { sum.add(value); });
  return sum.result();
}

}  // namespace cairn::cuda
